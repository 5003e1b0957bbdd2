#include "analysis/random_edits.h"

#include <array>

#include "base/error.h"

namespace quantscope::test {
namespace {

using nlohmann::json;

constexpr std::array kWeightTypes{"int8", "int4", "uint8", "int16", "fp8e4m3", "bf16", "fp32"};
constexpr std::array kActivationTypes{"uint8", "int8", "int16", "uint4", "fp8e5m2", "fp16", "fp32"};
constexpr std::array kObservers{"minmax", "percentile:1:99", "mse", "moving-average:0.5"};
constexpr std::array kBackends{"x86", "qnnpack", "generic", "tensorrt"};

}  // namespace

RandomEdits::RandomEdits(std::vector<std::string> nodes, std::vector<std::string> points,
                         unsigned seed)
    : m_nodes(std::move(nodes)),
      m_points(std::move(points)),
      m_generator(seed),
      m_history{{{"quantscope", 1}}} {}

std::size_t RandomEdits::below(std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_generator);
}

json RandomEdits::randomPrecision() {
  if (below(3) == 0) return "fp32";
  json precision;
  if (below(2) == 0) {
    precision["weight"]["type"] = kWeightTypes[below(kWeightTypes.size())];
    if (below(2) == 0) precision["weight"]["granularity"] = "per-tensor";
  }
  if (below(2) == 0) {
    json& activation = precision["activation"];
    activation["type"] = kActivationTypes[below(kActivationTypes.size())];
    if (below(3) == 0) activation["observer"] = kObservers[below(kObservers.size())];
    if (below(4) == 0) activation["range"] = {-1.0 - 0.5 * static_cast<double>(below(4)), 2.0};
    if (below(6) == 0) activation = {{"type", "uint8"}, {"mode", "dynamic"}};
  }
  if (below(4) == 0) precision["output"]["range"] = {-2.0, 1.0 + static_cast<double>(below(4))};
  return precision.is_null() ? json::object() : precision;
}

void RandomEdits::edit(json& config) {
  const auto node = [&] { return m_nodes[below(m_nodes.size())]; };
  const auto point = [&] { return m_points[below(m_points.size())]; };
  switch (below(13)) {
    case 0:
      config["default"] = randomPrecision();
      break;
    case 1:
      config["backend"] = kBackends[below(kBackends.size())];
      break;
    case 2:
      config["groups"]["join"] = json::array({json::array({point(), point()})});
      break;
    case 3:
      config["groups"]["part"] = json::array({point()});
      break;
    case 4:
      config.erase("groups");
      break;
    case 5:
      if (config.contains("nodes")) config["nodes"].erase(node());
      break;
    case 6:
      config["encodings"][point()] = {{"type", "uint8"},
                                      {"scale", {0.01 * static_cast<double>(1 + below(3))}},
                                      {"zero_point", {static_cast<int>(100 + below(2))}}};
      break;
    case 7:
      config["repairs"]["equalize"][node()] =
          json::array({1, 2, 0.5, 1 + static_cast<int>(below(2))});
      break;
    case 8:
      config.erase(below(2) == 0 ? "encodings" : "repairs");
      break;
    default:
      config["nodes"][node()] = randomPrecision();
  }
}

Configuration RandomEdits::next() {
  for (;;) {
    if (m_history.size() > 1 && below(5) == 0) {
      undo();
    } else {
      m_history.push_back(m_history.back());
      edit(m_history.back());
    }
    try {
      return parseConfiguration(m_history.back().dump(), "edit");
    } catch (const Error&) {
      undo();  // such a configuration does not exist
    }
  }
}

void RandomEdits::undo() {
  if (m_history.size() > 1) m_history.pop_back();
}

}  // namespace quantscope::test

#include "search/widening.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/errors/worst_output.h"
#include "precision/sharing/union_find.h"
#include "quant/quant_type.h"

namespace quantscope {
namespace {

// Up to so many layers every count is measured.
constexpr std::size_t kFewLayers = 16;
constexpr double kStepRatio = 1.3;

struct Ranked {
  std::size_t layer = 0;
  double hurt = 0;  // the higher the sooner
};

// The rows in the types that their layers have: around the configuration they change nothing.
std::set<std::pair<std::string, QuantType>> asConfigured(const TypeChoices& choices) {
  std::set<std::pair<std::string, QuantType>> rows;
  for (std::size_t i = 0; i < choices.layerCount(); ++i) {
    if (const auto type = choices.typeOf(i)) rows.emplace(choices.name(i), signedType(*type));
  }
  return rows;
}

// Priority of each node, highest first. Around the configuration, rows in the wider type measure
// the gain; around float they do not show the loss.
std::map<std::string, double> hurtByNode(const std::vector<SensitivityRow>& rows,
                                         SensitivityRequest::Around around,
                                         const TypeChoices& choices, QuantType wider) {
  const bool configured = around == SensitivityRequest::Around::Configuration;
  const auto unchanged =
      configured ? asConfigured(choices) : std::set<std::pair<std::string, QuantType>>();
  const bool gains = configured && std::ranges::any_of(rows, [&](const SensitivityRow& row) {
                       return row.type == wider;
                     });
  std::map<std::string, double> hurt;
  for (const SensitivityRow& row : rows) {
    const std::optional<double> sqnrDb = worstOutputSqnr(row.outputs);
    const bool counts = gains ? row.type == wider : configured || row.type != wider;
    if (!sqnrDb || !counts || unchanged.contains({row.node, signedType(row.type)})) continue;
    const double own = gains ? *sqnrDb : -*sqnrDb;
    const auto [place, isNew] = hurt.emplace(row.node, own);
    if (!isNew) place->second = std::max(place->second, own);
  }
  // Layers that are only measured with others.
  std::map<std::string, double> together;
  for (const SensitivityRow& row : rows) {
    const auto known = hurt.find(row.node);
    if (known == hurt.end()) continue;
    for (const std::string& other : row.alsoInGroup) together.emplace(other, known->second);
  }
  for (const SensitivityRow& row : rows) together.erase(row.node);
  hurt.merge(together);
  return hurt;
}

/// Layers whose quantized values are joined by hand: all that are quantized are of one type.
class JoinedUnits {
 public:
  /// Layers in float stand on no grid, so that for float each layer is a unit of its own.
  JoinedUnits(const TypeChoices& choices, QuantType wider) : m_units(choices.layerCount()) {
    if (!isQuantized(wider)) return;
    const Graph& graph = choices.graph();
    for (const std::vector<PointName>& list : choices.config().precision->groups.join) {
      std::optional<std::size_t> first;
      for (const PointName& point : list) {
        const std::optional<std::size_t> layer =
            choices.layerWith(graph.findNode(point.isOutput() ? point.producer : point.consumer));
        if (!layer || !roundsValues(choices.precisionOf(*layer))) continue;
        if (first) m_units.unite(*first, *layer);
        first = layer;
      }
    }
  }

  std::size_t unitOf(std::size_t layer) { return m_units.find(layer); }

 private:
  static bool roundsValues(const NodePrecision& precision) {
    return !precision.float32 &&
           (isQuantized(precision.activation.type) || isQuantized(precision.output.type));
  }

  UnionFind m_units;
};

// The others of a unit follow its first layer.
std::vector<std::size_t> unitsTogether(const std::vector<std::size_t>& layers, JoinedUnits& units) {
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (const std::size_t layer : layers) members[units.unitOf(layer)].push_back(layer);
  std::vector<std::size_t> order;
  for (const std::size_t layer : layers) {
    const std::vector<std::size_t>& unit = members[units.unitOf(layer)];
    if (unit.front() == layer) order.insert(order.end(), unit.begin(), unit.end());
  }
  return order;
}

// So many layers of an order and the rest of the last one's unit.
std::vector<std::size_t> wholeUnits(const std::vector<std::size_t>& order, std::size_t count,
                                    JoinedUnits units) {
  std::size_t end = std::min(count, order.size());
  while (end > 0 && end < order.size() &&
         units.unitOf(order[end]) == units.unitOf(order[end - 1])) {
    ++end;
  }
  return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<std::size_t> wideningOrder(const std::vector<SensitivityRow>& rows,
                                       SensitivityRequest::Around around,
                                       const TypeChoices& choices, QuantType wider) {
  const std::map<std::string, double> hurt = hurtByNode(rows, around, choices, wider);
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < choices.layerCount(); ++i) {
    const auto known = hurt.find(choices.name(i));
    const std::optional<QuantType> type = choices.typeOf(i);
    const bool narrower = type && isQuantized(*type) && bitWidth(*type) < bitWidth(wider);
    if (known == hurt.end() || !narrower || !choices.refusal(i, wider).empty()) continue;
    ranked.push_back({i, known->second});
  }
  std::ranges::stable_sort(ranked, std::ranges::greater(), &Ranked::hurt);
  std::vector<std::size_t> order;
  for (const Ranked& each : ranked) order.push_back(each.layer);
  JoinedUnits units(choices, wider);
  return unitsTogether(order, units);
}

std::vector<std::size_t> wideningSteps(std::size_t layers) {
  std::vector<std::size_t> steps{0};
  while (steps.back() < layers) {
    const std::size_t last = steps.back();
    const auto further = static_cast<std::size_t>(static_cast<double>(last) * kStepRatio);
    const std::size_t next = layers <= kFewLayers ? last + 1 : std::max(last + 1, further);
    steps.push_back(std::min(next, layers));
  }
  return steps;
}

WideningCurve merged(const WideningCurve& curve, const WideningCurve& more) {
  std::map<std::size_t, WideningPoint> points;
  for (const WideningCurve* each : {&curve, &more}) {
    for (const WideningPoint& point : *each) points[point.count] = point;
  }
  WideningCurve both;
  for (const auto& [count, point] : points) both.push_back(point);
  return both;
}

ConfigEdit wideningEdit(const TypeChoices& choices, const std::vector<std::size_t>& order,
                        std::size_t count, QuantType wider) {
  const std::vector<std::size_t> first = wholeUnits(order, count, JoinedUnits(choices, wider));
  ConfigEdit edit = choices.setType(first, wider);
  if (first.size() > 1) {
    const std::string last = edit.sentence.substr(edit.sentence.rfind(" to "));
    edit.sentence = "set the " + std::to_string(first.size()) + " most sensitive layers" + last;
  }
  return edit;
}

WideningCurve measureWidening(const TypeChoices& choices, const std::vector<std::size_t>& order,
                              QuantType wider, const std::vector<std::size_t>& counts,
                              TrialRuns& runs, const WideningSink& publish) {
  WideningCurve curve;
  for (const std::size_t count : counts) {
    const Configuration config = wideningEdit(choices, order, count, wider).apply(choices.config());
    const std::shared_ptr<const QuantizedModel> model = runs.quantize(config);
    if (model == nullptr) continue;
    const std::string stage = std::to_string(count) + " layers wider";
    curve.push_back({count, runs.run(config, model, stage).point});
    if (publish) publish(curve);
  }
  return curve;
}

}  // namespace quantscope

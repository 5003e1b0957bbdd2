#include "analysis/cost/layer_times.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/median.h"
#include "base/seconds_since.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "engine/timing/product_times.h"
#include "graph/operator_traits.h"
#include "precision/edits/type_choices.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr int kRunsOfTheNetwork = 5;
constexpr double kMicroseconds = 1e6;
constexpr double kBytesOfFloat = 4;
// Minimum width of the data that narrower weights are multiplied with.
constexpr int kLeastBitsOfData = 8;

/// The data of one node from runs of the network.
struct SeenNode {
  std::vector<double> seconds;  ///< by run
  std::vector<Shape> inputs;    ///< undefined ones are empty
  Shape output;
};

class TimedLayers {
 public:
  TimedLayers(const Engine& engine, const QuantizedModel& model, const Feed& feed,
              const JobContext& job)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_model(model),
        m_feed(feed),
        m_job(job),
        m_nodes(m_graph.nodes().size()) {}

  CostTable measure() {
    for (int run = 0; run < kRunsOfTheNetwork; ++run) runNetwork();
    CostTable table;
    table.device = "this machine, one thread, oneDNN";
    for (const LayerQuantization& layer : m_model.layers) {
      m_job.throwIfCancelled();
      const std::string& name = m_graph[layer.layer.lead()].name;
      if (!name.empty()) table.layers[name] = timesOf(layer);
    }
    for (const ValueId value : valuesBetweenLayers()) {
      m_job.throwIfCancelled();
      const auto elements = m_elements.find(value);
      if (elements != m_elements.end()) {
        table.conversions[m_graph[value].name] = conversionOf(elements->second);
      }
    }
    return table;
  }

 private:
  void runNetwork() {
    const Plan plan = planForAllValues(m_engine);
    Execution execution(plan, m_feed.inputs, nullptr, m_feed.batch);
    for (const auto& [value, tensor] : m_feed.inputs) m_elements[value] = elementsOf(tensor);
    while (!execution.finished()) {
      m_job.throwIfCancelled();
      const NodeId first = execution.next();
      if (first.valid()) seeInputs(execution, first);
      const auto start = std::chrono::steady_clock::now();
      const NodeId last = execution.step();
      const double seconds = secondsSince(start);
      if (!last.valid()) continue;
      m_nodes[last.at()].seconds.push_back(seconds / static_cast<double>(m_feed.batch));
      seeOutputs(execution, last);
    }
  }

  std::int64_t elementsOf(const Tensor& tensor) const {
    return tensor.shape().elementCount() / static_cast<std::int64_t>(m_feed.batch);
  }
  void seeInputs(Execution& execution, NodeId node) {
    SeenNode& seen = m_nodes[node.at()];
    if (!seen.inputs.empty()) return;
    for (const ValueId input : m_graph[node].inputs)
      seen.inputs.push_back(shapeOf(execution, input));
  }
  Shape shapeOf(Execution& execution, ValueId value) const {
    if (!value.valid()) return {};
    if (const Tensor* constant = m_engine.constant(value)) return constant->shape();
    const Tensor tensor = execution.value(value);
    return tensor.defined() ? tensor.shape() : Shape();
  }
  void seeOutputs(Execution& execution, NodeId node) {
    for (const ValueId output : m_graph[node].outputs) {
      if (!output.valid() || m_elements.contains(output)) continue;
      const Tensor tensor = execution.value(output);
      if (!tensor.defined()) continue;
      m_elements[output] = elementsOf(tensor);
      if (output == m_graph[node].outputs.front()) m_nodes[node.at()].output = tensor.shape();
    }
  }

  std::map<QuantType, MeasuredTime> timesOf(const LayerQuantization& layer) {
    std::map<QuantType, MeasuredTime> times;
    const NodeId lead = layer.layer.lead();
    if (const auto seconds = productTime(lead, ProductType::Float32)) {
      times[QuantType::Float32] = {*seconds * kMicroseconds, false};
      const std::pair<QuantType, ProductType> kernels[] = {
          {QuantType::BFloat16, ProductType::BFloat16}, {QuantType::Int8, ProductType::Int8}};
      for (const auto& [type, kernel] : kernels) {
        const auto own = productTime(lead, kernel);
        if (own) times[type] = {*own * kMicroseconds, false};
      }
    } else {
      times[QuantType::Float32] = {engineTime(layer) * kMicroseconds, false};
    }
    const double inFloat = times[QuantType::Float32].microseconds;
    for (const QuantType type : wholeTypes()) {
      if (!times.contains(type)) times[type] = {estimate(layer, type, inFloat), true};
    }
    return times;
  }

  double engineTime(const LayerQuantization& layer) const {
    double sum = 0;
    for (const NodeId member : layer.layer.members) {
      const std::vector<double>& seconds = m_nodes[member.at()].seconds;
      if (!seconds.empty()) sum += median(seconds);
    }
    return sum;
  }

  // Layers of the same shapes are timed once.
  std::optional<double> productTime(NodeId lead, ProductType type) {
    const Node& node = m_graph[lead];
    const SeenNode& seen = m_nodes[lead.at()];
    const auto slot = weightInput(m_engine, node);
    if (!slot || *slot >= seen.inputs.size() || seen.inputs.size() < 2) return std::nullopt;
    const std::size_t data = *slot == 0 ? 1 : 0;
    const ProductShape shape{seen.inputs[data], seen.inputs[*slot], seen.output};
    if (shape.data.rank() == 0 || shape.output.rank() == 0) return std::nullopt;
    const std::string key = keyOf(node, shape, type);
    const auto known = m_products.find(key);
    if (known != m_products.end()) return known->second;
    std::optional<double> seconds = secondsOfProduct(node, shape, type);
    if (seconds) *seconds /= static_cast<double>(m_feed.batch);
    return m_products[key] = seconds;
  }

  static std::string keyOf(const Node& node, const ProductShape& shape, ProductType type) {
    std::string key = node.op + std::to_string(static_cast<int>(type));
    for (const Shape& each : {shape.data, shape.weight, shape.output}) {
      key += '|';
      for (const std::int64_t extent : each) key += std::to_string(extent) + ' ';
    }
    for (const char* attribute : {"strides", "dilations", "pads", "output_padding"}) {
      key += '|';
      for (const std::int64_t number : node.integers(attribute))
        key += std::to_string(number) + ' ';
    }
    return key + std::to_string(node.integer("group", 1)) + node.text("auto_pad", "");
  }

  double estimate(const LayerQuantization& layer, QuantType type, double inFloat) {
    double weights = 0;
    double data = 0;
    const NodeId lead = layer.layer.lead();
    for (const ValueId input : m_graph[lead].inputs) {
      if (!input.valid()) continue;
      const Tensor* constant = m_engine.constant(input);
      const auto elements = m_elements.find(input);
      if (constant != nullptr)
        weights += static_cast<double>(constant->elementCount());
      else if (elements != m_elements.end())
        data += static_cast<double>(elements->second);
    }
    const std::vector<ValueId>& outputs = m_graph[layer.layer.last()].outputs;
    const auto output = outputs.empty() ? m_elements.end() : m_elements.find(outputs.front());
    if (output != m_elements.end()) data += static_cast<double>(output->second);
    const auto bytesAt = [&](int weightBits, int dataBits) {
      return (weights * weightBits + data * dataBits) / 8;
    };
    const int bits = bitWidth(type);
    const double bytes = bytesAt(bits, std::max(bits, kLeastBitsOfData));
    const double rate = bytesPerSecond(bytesAt(32, 32)) / kMicroseconds;
    const double least = bytes / rate;
    return std::max(inFloat - (bytesAt(32, 32) / rate - least), std::min(inFloat, least));
  }

  // By powers of two: data that fit into a cache are faster than data that do not.
  double bytesPerSecond(double bytes) {
    constexpr double kLeastPower = 12;  // 4 KiB
    constexpr double kMostPower = 26;   // 64 MiB
    const double power =
        std::clamp(std::round(std::log2(std::max(bytes, 1.0))), kLeastPower, kMostPower);
    const auto elements = static_cast<std::int64_t>(std::exp2(power) / (2 * kBytesOfFloat));
    const auto known = m_rates.find(elements);
    if (known != m_rates.end()) return known->second;
    return m_rates[elements] = copiedBytesPerSecond(elements);
  }

  std::vector<ValueId> valuesBetweenLayers() const {
    std::vector<ValueId> values(m_graph.inputs().begin(), m_graph.inputs().end());
    for (const LayerQuantization& layer : m_model.layers) {
      const std::vector<ValueId>& outputs = m_graph[layer.layer.last()].outputs;
      if (!outputs.empty() && outputs.front().valid()) values.push_back(outputs.front());
    }
    return values;
  }

  ConversionTime conversionOf(std::int64_t elements) {
    const auto known = m_conversions.find(elements);
    if (known != m_conversions.end()) return known->second;
    return m_conversions[elements] = {secondsToQuantize(elements) * kMicroseconds,
                                      secondsToDequantize(elements) * kMicroseconds};
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const QuantizedModel& m_model;
  const Feed& m_feed;
  const JobContext& m_job;
  std::vector<SeenNode> m_nodes;                         // by node
  std::unordered_map<ValueId, std::int64_t> m_elements;  // of one sample
  std::unordered_map<std::string, std::optional<double>> m_products;
  std::unordered_map<std::int64_t, ConversionTime> m_conversions;
  std::unordered_map<std::int64_t, double> m_rates;  // by copied elements
};

}  // namespace

CostTable measureLayerTimes(const Engine& engine, const QuantizedModel& model, const Feed& feed,
                            const JobContext& job) {
  CostTable table;
  const Workers alone(1);
  alone.run([&] { table = TimedLayers(engine, model, feed, job).measure(); });
  return table;
}

}  // namespace quantscope

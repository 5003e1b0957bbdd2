#include "detectors/numbers/conversion_island.h"

#include <algorithm>
#include <set>

#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "graph/data_dependence.h"
#include "graph/operator_traits.h"
#include "precision/edits/fused_followers.h"
#include "precision/sharing/union_find.h"

namespace quantscope {
namespace {

// A longer run of float layers is not a hole between quantized ones but a section.
constexpr std::size_t kMaxLayers = 8;

enum class Kind : std::uint8_t { Other, Float, Codes };

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// The layers as islands are made of them, and who computes and reads which value.
class LayerFlow {
 public:
  explicit LayerFlow(const DetectorInput& input)
      : m_input(input),
        m_graph(input.graph()),
        m_depends(dependsOnData(m_graph)),
        m_producer(m_graph.values().size(), kNone),
        m_leading(m_graph.nodes().size(), kNone),
        m_readAsCodes(m_graph.values().size()) {
    for (std::size_t i = 0; i < layers().size(); ++i) {
      m_kinds.push_back(kindOf(layers()[i]));
      for (const NodeId member : layers()[i].layer.members) {
        m_leading[member.at()] = i;
        for (const ValueId output : m_graph[member].outputs) {
          if (output.valid()) m_producer[output.at()] = i;
        }
      }
    }
    for (const QuantizationPoint& point : input.model.groups.points) {
      const bool known = input.model.groupParams[point.group].has_value();
      if (known && !point.isOutput()) m_readAsCodes[point.value.at()].push_back(point.consumer);
    }
  }

  const std::vector<LayerQuantization>& layers() const { return m_input.model.layers; }
  Kind kind(std::size_t layer) const { return m_kinds[layer]; }
  std::size_t producer(ValueId value) const { return m_producer[value.at()]; }
  std::size_t layerOf(NodeId node) const { return m_leading[node.at()]; }

  /// Float data that a layer reads from outside of it.
  std::vector<ValueId> inputs(std::size_t layer) const {
    std::vector<ValueId> result;
    for (const NodeId member : layers()[layer].layer.members) {
      for (const ValueId read : readValues(m_graph, member)) {
        const bool own = m_producer[read.at()] == layer;
        if (!own && m_depends[read.at()] && mayBeFloat(m_graph, read)) result.push_back(read);
      }
    }
    return result;
  }

  /// The values that a layer computes and that others read.
  std::vector<ValueId> outputs(std::size_t layer) const {
    std::vector<ValueId> result;
    for (const NodeId member : layers()[layer].layer.members) {
      for (const ValueId value : m_graph[member].outputs) {
        if (value.valid() && (isOutput(value) || !readersOf(value, layer).empty())) {
          result.push_back(value);
        }
      }
    }
    return result;
  }

  std::vector<NodeId> readersOf(ValueId value, std::size_t layer) const {
    std::vector<NodeId> readers = m_graph[value].consumers;
    std::erase_if(readers, [&](NodeId reader) {
      return layerOf(reader) == layer || readsShapeAlone(m_graph[reader]);
    });
    return readers;
  }

  bool isOutput(ValueId value) const {
    return std::ranges::find(m_graph.outputs(), value) != m_graph.outputs().end();
  }

  bool comesAsCodes(ValueId value) const {
    const std::size_t layer = producer(value);
    return layer != kNone && layers()[layer].output && !layers()[layer].output->dynamic;
  }

  bool readAsCodes(ValueId value, NodeId reader) const {
    const std::vector<NodeId>& readers = m_readAsCodes[value.at()];
    return std::ranges::find(readers, reader) != readers.end();
  }

 private:
  bool readsShapeAlone(const Node& reader) const {
    return std::ranges::none_of(
        reader.outputs, [&](ValueId output) { return output.valid() && m_depends[output.at()]; });
  }

  // A data mover has the grid of its input: none for floats.
  Kind kindOf(const LayerQuantization& layer) const {
    const ValueId output = outputOf(m_graph, layer.layer);
    // The nodes of a body are layers, too.
    if (!m_graph[layer.layer.lead()].bodies.empty()) return Kind::Other;
    if (!output.valid() || !m_depends[output.at()] || !mayBeFloat(m_graph, output)) {
      return Kind::Other;
    }
    return layer.activation || layer.output ? Kind::Codes : Kind::Float;
  }

  const DetectorInput& m_input;
  const Graph& m_graph;
  std::vector<bool> m_depends;                     // by value
  std::vector<std::size_t> m_producer;             // by value: the layer
  std::vector<std::size_t> m_leading;              // by node: the layer that it is in
  std::vector<std::vector<NodeId>> m_readAsCodes;  // by value
  std::vector<Kind> m_kinds;                       // by layer
};

/// Layers in float that pass values to each other, in execution order.
std::vector<std::vector<std::size_t>> floatParts(const LayerFlow& flow) {
  UnionFind sets(flow.layers().size());
  for (std::size_t i = 0; i < flow.layers().size(); ++i) {
    if (flow.kind(i) != Kind::Float) continue;
    for (const ValueId read : flow.inputs(i)) {
      const std::size_t before = flow.producer(read);
      if (before != kNone && flow.kind(before) == Kind::Float) sets.unite(before, i);
    }
  }
  std::vector<std::vector<std::size_t>> parts(flow.layers().size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (flow.kind(i) == Kind::Float) parts[sets.find(i)].push_back(i);
  }
  std::erase_if(parts, [](const std::vector<std::size_t>& part) { return part.empty(); });
  std::ranges::sort(parts);
  return parts;
}

/// Number of values that are converted around a part in float; 0 if it is no island.
std::size_t conversionsAround(const LayerFlow& flow, const std::vector<std::size_t>& part) {
  const auto inside = [&](std::size_t layer) {
    return std::ranges::find(part, layer) != part.end();
  };
  std::set<ValueId> in;
  std::set<ValueId> out;
  for (const std::size_t layer : part) {
    for (const ValueId read : flow.inputs(layer)) {
      if (inside(flow.producer(read))) continue;
      if (!flow.comesAsCodes(read)) return 0;
      in.insert(read);
    }
    for (const ValueId value : flow.outputs(layer)) {
      if (flow.isOutput(value)) return 0;
      for (const NodeId reader : flow.readersOf(value, layer)) {
        if (inside(flow.layerOf(reader))) continue;
        if (!flow.readAsCodes(value, reader)) return 0;
        out.insert(value);
      }
    }
  }
  return in.empty() || out.empty() ? 0 : in.size() + out.size();
}

std::string conversions(std::size_t count) {
  return std::to_string(count) + " values are converted around it";
}

/// What quantizes every layer of a part: an entry of its own goes, so that it follows the same
/// rules as its neighbours and joins their patterns; where they leave it in float, it gets the
/// default. None where the backend cannot quantize all of it.
std::vector<ConfigChange> quantizeAll(const DetectorInput& input, const LayerFlow& flow,
                                      const std::vector<std::size_t>& part) {
  const NodePrecision& defaults = input.precision.config().defaults;
  std::vector<ConfigChange> changes;
  if (defaults.float32) return changes;
  const PrecisionConfig rules = withoutNodes(input.precision.config());
  const ResolvedConfig byRules(input.graph(), rules);
  for (const std::size_t layer : part) {
    const NodeId lead = flow.layers()[layer].layer.lead();
    const Node& node = input.graph()[lead];
    if (isDataMover(input.graph(), node)) continue;
    if (!input.backend.quantizes(node.op, defaults.activation.dynamic)) return {};
    if (input.precision.names(lead) && !byRules[lead].float32) {
      changes.push_back({.node = node.name, .removesEntry = true});
    } else {
      changes.push_back({node.name, defaults.weight, defaults.activation, defaults.output});
    }
  }
  return changes;
}

Finding holeAt(const DetectorInput& input, const LayerFlow& flow,
               const std::vector<std::size_t>& part, std::size_t converted) {
  Finding finding = findingAt(input, "conversion_island", flow.layers()[part.front()].layer.lead());
  finding.value = outputOf(input.graph(), flow.layers()[part.front()].layer);
  finding.statistic = static_cast<double>(converted);
  finding.threshold = 1;
  finding.text = "'" + finding.nodeName + "'" +
                 (part.size() == 1 ? " computes"
                                   : " and " + std::to_string(part.size() - 1) +
                                         (part.size() == 2 ? " more layer" : " more layers") +
                                         " after it compute") +
                 " in float between quantized layers; " + conversions(converted) + ".";
  finding.why =
      "Codes have to be turned into floats on the way in and rounded to codes again on the way "
      "out, which often takes longer than the computation itself.";
  std::vector<ConfigChange> changes = quantizeAll(input, flow, part);
  const bool closable = !changes.empty();
  finding.severity = closable ? Severity::Warning : Severity::Info;
  finding.suggestion =
      closable ? Suggestion{"Quantize '" + finding.nodeName + "' like its neighbours.",
                            std::move(changes),
                            {}}
               : Suggestion{
                     "The backend cannot quantize it: move it to the start or the end of "
                     "the quantized part, or replace it by an operator that the backend "
                     "quantizes.",
                     {},
                     {}};
  return finding;
}

/// Number of values that are converted around a quantized layer among floats; 0 if it is not alone.
std::size_t conversionsAround(const LayerFlow& flow, std::size_t layer) {
  const LayerQuantization& row = flow.layers()[layer];
  const bool candidate = flow.kind(layer) == Kind::Codes && !row.dataMover && row.activation &&
                         row.output && row.weightElements == 0;
  if (!candidate) return 0;
  const auto isFloat = [&](std::size_t other) {
    return other != kNone && flow.kind(other) == Kind::Float;
  };
  std::set<ValueId> converted;
  for (const ValueId read : flow.inputs(layer)) {
    if (!isFloat(flow.producer(read))) return 0;
    converted.insert(read);
  }
  if (converted.empty()) return 0;
  const ValueId output = flow.outputs(layer).size() == 1 ? flow.outputs(layer).front() : ValueId();
  if (!output.valid() || flow.isOutput(output)) return 0;
  for (const NodeId reader : flow.readersOf(output, layer)) {
    if (!isFloat(flow.layerOf(reader))) return 0;
  }
  return converted.size() + 1;
}

Finding lonelyAt(const DetectorInput& input, const LayerQuantization& layer,
                 std::size_t converted) {
  Finding finding = findingAt(input, "conversion_island", layer.layer.lead());
  finding.value = outputOf(input.graph(), layer.layer);
  finding.statistic = static_cast<double>(converted);
  finding.threshold = 1;
  finding.severity = Severity::Warning;
  finding.text = "'" + finding.nodeName + "' is quantized among layers that compute in float; " +
                 conversions(converted) + ".";
  finding.why =
      "It has no weights that would become smaller, so that rounding its data on the way in and "
      "turning them back on the way out gains nothing and costs precision and time.";
  finding.evidence = Evidence::LayerError;
  finding.suggestion = keepFloat(input, layer.layer.lead());
  return finding;
}

}  // namespace

std::vector<Finding> findConversionIslands(const DetectorInput& input) {
  const LayerFlow flow(input);
  std::vector<Finding> findings;
  for (const std::vector<std::size_t>& part : floatParts(flow)) {
    const std::size_t converted = part.size() > kMaxLayers ? 0 : conversionsAround(flow, part);
    if (converted > 0) findings.push_back(holeAt(input, flow, part, converted));
  }
  for (std::size_t i = 0; i < flow.layers().size(); ++i) {
    const std::size_t converted = conversionsAround(flow, i);
    if (converted > 0) findings.push_back(lonelyAt(input, flow.layers()[i], converted));
  }
  return findings;
}

}  // namespace quantscope

#include "detectors/ranges/steep_function.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/bad_layers.h"
#include "base/number_text.h"
#include "calibration/histograms/bin_masses.h"
#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"
#include "detectors/ranges/activation_grids.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr double kFewSteps = 4;
constexpr double kMaxShareNear0 = 0.1;
constexpr double kLostDb = 10;
// Limit of nodes from the function back to the place where its argument is rounded.
constexpr std::size_t kMostNodes = 16;
// Limit of nodes from there back to layers with weights; beyond, it is the whole network.
constexpr std::size_t kMostLayers = 256;

double shareNear0(const ActivationGrid& grid) {
  const double near = kFewSteps * grid.grid().scale;
  double inside = 0;
  double all = 0;
  for (const BinMass& bin : binMasses(*grid.observation)) {
    if (bin.low == 0 && bin.high == 0) continue;
    all += bin.count;
    const double middle = std::abs(bin.low + bin.high) / 2;
    if (middle < near) inside += bin.count;
  }
  return all > 0 ? inside / all : 0;
}

/// Finds the place where the argument of a function was rounded to a grid.
class GridInFront {
 public:
  explicit GridInFront(const DetectorInput& input) : m_input(input) {}

  std::optional<ActivationGrid> find(NodeId reader, ValueId value) const {
    for (std::size_t i = 0; i < kMostNodes && value.valid(); ++i) {
      if (const auto grid = gridAt(reader, value)) return grid;
      reader = m_input.graph()[value].producer;
      if (!reader.valid()) return std::nullopt;
      value = onlyData(reader);
    }
    return std::nullopt;
  }

 private:
  std::optional<ActivationGrid> gridAt(NodeId reader, ValueId value) const {
    const QuantizationPoint* point = m_input.index.pointMetBy(reader, value);
    if (point == nullptr) return std::nullopt;
    const std::optional<QuantParams>& params = m_input.model.groupParams[point->group];
    const Observation* seen = observationOf(m_input, value);
    const bool linear = params && isInteger(params->type) && params->grids.size() == 1;
    if (!linear || params->dynamic || seen == nullptr) return std::nullopt;
    return ActivationGrid{point, &*params, seen};
  }

  // The data input of an elementwise operator or data mover; none if it has several.
  ValueId onlyData(NodeId node) const {
    const Node& each = m_input.graph()[node];
    const OperatorTraits& traits = operatorTraits(each);
    const bool elementwise = traits.channels == ChannelFlow::Carried;
    const bool moves = isDataMover(m_input.graph(), each);
    ValueId data;
    for (const ValueId value : each.inputs) {
      if (!value.valid() || m_input.engine.constant(value) != nullptr) continue;
      if (data.valid()) return {};
      data = value;
    }
    return elementwise || moves ? data : ValueId();
  }

  const DetectorInput& m_input;
};

/// The layers without weights that lead to a function, and the one that computes its argument.
class WayToFunction {
 public:
  explicit WayToFunction(const DetectorInput& input) : m_input(input) {}

  std::vector<NodeId> find(NodeId function, ValueId argument) {
    add(function);
    const NodeId producer = m_input.graph()[argument].producer;
    if (producer.valid()) addWithInputs(producer);
    for (std::size_t next = 0; next < m_open.size() && m_leads.size() < kMostLayers; ++next) {
      const NodeId node = m_open[next];
      for (const ValueId value : m_input.graph()[node].inputs) {
        const NodeId before = value.valid() ? m_input.graph()[value].producer : NodeId();
        if (before.valid() && !hasWeights(before)) addWithInputs(before);
      }
    }
    return std::move(m_leads);
  }

 private:
  bool hasWeights(NodeId node) const {
    return weightInput(m_input.engine, m_input.graph()[node]).has_value();
  }
  void addWithInputs(NodeId node) {
    if (!m_seen.insert(node).second) return;
    add(node);
    if (!hasWeights(node)) m_open.push_back(node);
  }
  // Adds a layer only if it rounds something.
  void add(NodeId node) {
    const LayerQuantization* layer = m_input.index.layerLedBy(node);
    if (layer == nullptr) layer = layerEndingWith(node);
    if (layer == nullptr || !layer->quantized || layer->dataMover) return;
    const NodeId lead = layer->layer.lead();
    if (std::ranges::find(m_leads, lead) == m_leads.end()) m_leads.push_back(lead);
  }
  const LayerQuantization* layerEndingWith(NodeId node) const {
    const std::vector<ValueId>& outputs = m_input.graph()[node].outputs;
    return outputs.empty() ? nullptr : m_input.index.layerComputing(outputs.front());
  }

  const DetectorInput& m_input;
  std::set<NodeId> m_seen;
  std::vector<NodeId> m_open;
  std::vector<NodeId> m_leads;
};

const ErrorMetrics* errorBehind(const DetectorInput& input, NodeId function) {
  for (const LayerResult& row : input.result.layers) {
    if (std::ranges::find(row.members, function) == row.members.end()) continue;
    return row.accumulated ? &row.accumulated->total : nullptr;
  }
  return nullptr;
}

// Pairs that are left out of the error though the float network has no such values.
std::size_t newNonFinite(const DetectorInput& input, NodeId function, const ErrorMetrics& error) {
  const std::vector<ValueId>& outputs = input.graph()[function].outputs;
  const Observation* seen = outputs.empty() ? nullptr : observationOf(input, outputs.front());
  return seen != nullptr && seen->nonFinite == 0 ? error.nonFinite : 0;
}

std::string wordsBehind(double decibels, std::size_t nonFinite) {
  if (nonFinite == 0) return "behind it are " + briefNumber(decibels) + " dB.";
  const std::string values = counted(nonFinite, "value");
  return "behind it " + values + (nonFinite == 1 ? " is" : " are") + " infinite or not a number.";
}

Suggestion leaveInFloat(const DetectorInput& input, NodeId function,
                        const std::vector<NodeId>& way) {
  const std::string& name = input.graph()[function].name;
  Suggestion suggestion{"Leave what leads to '" + name + "' in float.", {}, {}};
  if (way.size() > 1)
    suggestion.text.insert(suggestion.text.size() - 1,
                           ": " + std::to_string(way.size()) + " layers");
  for (const NodeId node : way) {
    const std::vector<ConfigChange> changes = floatChanges(input, node);
    suggestion.changes.insert(suggestion.changes.end(), changes.begin(), changes.end());
  }
  return suggestion;
}

Severity severityOfResult(double decibels) {
  if (decibels < kLostDb) return Severity::Critical;
  return decibels < 2 * kLostDb ? Severity::Warning : Severity::Info;
}

std::optional<Finding> judgeFunction(const DetectorInput& input, NodeId function,
                                     ValueId argument) {
  const ErrorMetrics* error = errorBehind(input, function);
  if (error == nullptr) return std::nullopt;
  const std::size_t nonFinite = newNonFinite(input, function, *error);
  const std::optional<double> decibels =
      nonFinite > 0 ? -std::numeric_limits<double>::infinity() : error->sqnrDb;
  if (!decibels || *decibels >= kBadLayerDb) return std::nullopt;
  const auto grid = GridInFront(input).find(function, argument);
  if (!grid) return std::nullopt;
  const double share = shareNear0(*grid);
  if (share <= kMaxShareNear0) return std::nullopt;
  Finding finding = findingAt(input, "steep_function", function);
  finding.value = grid->point->value;
  finding.statistic = share;
  finding.threshold = kMaxShareNear0;
  finding.severity = severityOfResult(*decibels);
  finding.evidence = Evidence::Histogram;
  finding.text = "Of the values in front of '" + finding.nodeName + "' (" +
                 input.graph()[function].op + "), " + briefPercent(share) +
                 " lie within 4 steps of 0 on a grid to " +
                 briefNumber(grid->representable().high) + "; " + wordsBehind(*decibels, nonFinite);
  finding.why =
      "The function is steep near 0: what is a small error beside the largest values is a large "
      "one there. The layer's own error does not show it.";
  const std::vector<NodeId> way = WayToFunction(input).find(function, argument);
  if (!way.empty()) finding.suggestion = leaveInFloat(input, function, way);
  return finding;
}

}  // namespace

std::vector<Finding> findSteepFunctions(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.graph().nodes().size(); ++i) {
    const NodeId function(i);
    const Node& node = input.graph()[function];
    const auto steep = operatorTraits(node).steepInput;
    const auto slot = steep == nullptr ? std::nullopt : steep(input.graph(), node);
    if (!slot || *slot >= node.inputs.size() || !node.inputs[*slot].valid()) continue;
    if (input.engine.constant(node.inputs[*slot]) != nullptr) continue;
    if (auto finding = judgeFunction(input, function, node.inputs[*slot])) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope

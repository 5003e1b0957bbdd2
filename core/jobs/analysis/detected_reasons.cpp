#include "jobs/analysis/detected_reasons.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/analyze.h"
#include "base/error.h"
#include "export/foreign/foreign_configuration.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

std::optional<QuantType> typeOf(const ComparedGrid& grid) {
  switch (grid.bits) {
    case 4:
      return grid.isSigned ? QuantType::Int4 : QuantType::UInt4;
    case 8:
      return grid.isSigned ? QuantType::Int8 : QuantType::UInt8;
    case 16:
      return grid.isSigned ? QuantType::Int16 : QuantType::UInt16;
    default:
      return std::nullopt;
  }
}

void addGrid(const std::string& tensor, const ComparedGrid& grid,
             std::map<std::string, ForeignGrid>& grids) {
  const std::optional<QuantType> type = typeOf(grid);
  if (tensor.empty() || !type || grid.scales.empty()) return;
  ForeignGrid foreign;
  foreign.tensor = tensor;
  foreign.encoding = {*type, grid.scales, grid.zeroPoints};
  foreign.symmetric = std::ranges::all_of(
      grid.zeroPoints, [&](std::int32_t zero) { return zero == symmetricZeroPoint(*type); });
  grids.emplace(tensor, std::move(foreign));
}

std::vector<ForeignGrid> gridsOf(const ModelComparison& comparison) {
  std::map<std::string, ForeignGrid> grids;
  for (const ComparedLayer& layer : comparison.layers) {
    addGrid(layer.roundedValue, layer.output, grids);
    addGrid(layer.roundedWeight, layer.weight, grids);
  }
  std::vector<ForeignGrid> found;
  for (auto& [name, grid] : grids) found.push_back(std::move(grid));
  return found;
}

/// Where the compared layers are among those of the simulation.
class LayerRows {
 public:
  LayerRows(const Graph& graph, const QuantizedModel& model) : m_graph(graph) {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for (const NodeId member : model.layers[i].layer.members) m_rows.emplace(member, i);
    }
  }

  std::optional<std::size_t> ofNode(NodeId node) const {
    const auto found = m_rows.find(node);
    return found == m_rows.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::size_t> of(const ComparedLayer& layer) const {
    const ValueId value = m_graph.findValue(layer.firstValue);
    return value.valid() ? ofNode(m_graph[value].producer) : std::nullopt;
  }

 private:
  const Graph& m_graph;
  std::unordered_map<NodeId, std::size_t> m_rows;
};

void attach(const std::vector<Finding>& findings, const LayerRows& rows,
            ModelComparison& comparison) {
  std::map<std::size_t, std::vector<DetectedReason>> reasons;
  for (const Finding& finding : findings) {
    std::vector<NodeId> nodes = finding.members;
    nodes.insert(nodes.begin(), finding.node);
    for (const NodeId node : nodes) {
      const std::optional<std::size_t> row = rows.ofNode(node);
      if (row) reasons[*row].push_back({finding.detector, finding.severity, finding.text});
    }
  }
  for (ComparedLayer& layer : comparison.layers) {
    const std::optional<std::size_t> row = layer.isInput ? std::nullopt : rows.of(layer);
    if (row) layer.reasons = reasons[*row];
  }
}

}  // namespace

void addDetectedReasons(const LoadedModel& first, SampleSource& source, ModelComparison& comparison,
                        JobContext& job) {
  const std::vector<ForeignGrid> grids = gridsOf(comparison);
  if (grids.empty()) {
    comparison.notDetected = "the second model has no grid that is known without running it";
    return;
  }
  try {
    const Configuration config =
        configurationFrom(*first.engine, placeByName(*first.engine, grids)).config;
    const CalibratedModel simulated = calibrateAndQuantize(first, config, source, 1, job);
    const AnalysisResult layers =
        describeLayers(*first.engine, config, simulated.model, simulated.observations);
    const DetectorReport report = findFaults(first, config, simulated.model, simulated.observations,
                                             layers, DetectorMode::Quantscope);
    attach(report.findings, LayerRows(*first.graph, simulated.model), comparison);
  } catch (const Error& error) {
    comparison.notDetected = error.what();
  }
}

}  // namespace quantscope

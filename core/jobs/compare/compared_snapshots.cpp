#include "jobs/compare/compared_snapshots.h"

#include <string>
#include <unordered_map>

#include "jobs/analysis/run_analysis.h"
#include "precision/config/layer_alone.h"

namespace quantscope {
namespace {

/// The structure of one model, and where its rows are.
class Rows {
 public:
  Rows(const LoadedModel& model, JobContext& job) : m_graph(*model.graph) {
    AnalysisRequest request;
    request.model = model.file;
    request.config = inFloat(Configuration());
    m_snapshot = std::make_shared<AnalysisSnapshot>(*describeStructure(request, model, job));
    m_result = *m_snapshot->result;
    for (std::size_t i = 0; i < m_result.layers.size(); ++i) {
      for (const NodeId member : m_result.layers[i].members) m_rows.emplace(member, i);
    }
  }

  /// The row of the layer that makes the value, else of the layer of that name.
  std::optional<std::size_t> find(const std::string& layer, const std::string& value) const {
    const ValueId made = m_graph.findValue(value);
    NodeId node = made.valid() ? m_graph[made].producer : NodeId();
    if (!node.valid()) node = m_graph.findNode(layer);
    const auto row = node.valid() ? m_rows.find(node) : m_rows.end();
    return row == m_rows.end() ? std::nullopt : std::optional(row->second);
  }

  void setErrors(std::size_t row, const ComparedLayer& layer) {
    m_result.layers[row].accumulated = {
        .total = layer.error, .channelSqnrDb = {}, .sampleSqnrDb = {}};
    if (layer.own) {
      m_result.layers[row].local = {.total = *layer.own, .channelSqnrDb = {}, .sampleSqnrDb = {}};
    }
  }

  SnapshotPtr snapshot() {
    m_snapshot->result = std::make_shared<const AnalysisResult>(std::move(m_result));
    return m_snapshot;
  }

 private:
  const Graph& m_graph;
  std::shared_ptr<AnalysisSnapshot> m_snapshot;
  AnalysisResult m_result;
  std::unordered_map<NodeId, std::size_t> m_rows;
};

}  // namespace

ComparedSnapshots comparedSnapshots(const LoadedModel& first, const LoadedModel* second,
                                    const ModelComparison& comparison, JobContext& job) {
  Rows ours(first, job);
  std::optional<Rows> theirs;
  if (second != nullptr) theirs.emplace(*second, job);
  ComparedSnapshots result;
  for (const ComparedLayer& layer : comparison.layers) {
    PairedRows pair{.first = ours.find(layer.firstLayer, layer.firstValue), .second = {}};
    if (theirs) pair.second = theirs->find(layer.secondLayer, layer.secondValue);
    if (layer.isInput) pair = {};
    if (pair.first) ours.setErrors(*pair.first, layer);
    if (pair.second) theirs->setErrors(*pair.second, layer);
    result.pairs.push_back(pair);
  }
  result.first = ours.snapshot();
  if (theirs) result.second = theirs->snapshot();
  return result;
}

}  // namespace quantscope

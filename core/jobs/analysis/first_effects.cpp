#include "jobs/analysis/first_effects.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/cost/summary.h"
#include "analysis/errors/output_errors.h"
#include "analysis/layer_report.h"
#include "analysis/twin_run.h"
#include "calibration/feed_loop.h"

namespace quantscope {
namespace {

// With more layers, the own errors take about as long as everything.
constexpr std::size_t kMostOwnErrors = 24;

}  // namespace

FirstEffects::FirstEffects(const OpenedAnalysis& opened, const AnalysisSnapshot& before,
                           const QuantizedModel& model, const Observations& observations,
                           AnalysisMemory& memory, JobContext& job)
    : m_opened(opened),
      m_model(model),
      m_observations(observations),
      m_memory(memory),
      m_job(job),
      m_changes(changesBetween(before.quantized->applied, model.applied)),
      m_evaluator(*opened.model.engine, memory.activations),
      m_setup(m_evaluator, model, std::vector<std::optional<Range>>(model.layers.size())),
      m_result(*before.result) {
  matchRows(*before.result);
}

// A pattern that breaks up, or forms, has rows that nothing is known of yet.
void FirstEffects::matchRows(const AnalysisResult& before) {
  std::unordered_map<std::size_t, const LayerResult*> known;
  for (const LayerResult& row : before.layers) known.emplace(row.node.at(), &row);
  const LayerErrors nothing(m_model.layers.size());
  std::vector<LayerResult> rows;
  rows.reserve(m_model.layers.size());
  for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
    const FusedLayer& layer = m_model.layers[i].layer;
    const auto found = known.find(layer.lead().at());
    const bool same = found != known.end() && found->second->members == layer.members;
    rows.push_back(same ? *found->second : layerResult(m_setup, m_observations, nothing, i));
  }
  m_result.layers = std::move(rows);
}

bool FirstEffects::hasOwnErrors() const {
  return changedLayers().size() <= kMostOwnErrors;
}

// Checks only the first and the last feed: feeds are measured in order, so those between are done
// too.
bool FirstEffects::allMeasured() const {
  const std::size_t last = m_opened.data->feedCount() - 1;
  return isMeasured(m_setup, m_opened.data->read(0), m_memory.errors) &&
         isMeasured(m_setup, m_opened.data->read(last), m_memory.errors);
}

std::vector<std::size_t> FirstEffects::changedLayers() const {
  std::vector<std::size_t> layers;
  for (const auto& [node, applied] : m_changes) {
    const std::size_t layer = m_setup.layerOfLead[node.at()];
    const std::size_t last = m_setup.layerOfLast[node.at()];
    for (const std::size_t each : {layer, last}) {
      if (each == TwinSetup::kNoLayer || std::ranges::find(layers, each) != layers.end()) continue;
      layers.push_back(each);
    }
  }
  return layers;
}

// Figures that need a run of the whole network keep their old values.
void FirstEffects::replaceRow(std::size_t layer, const LayerErrors& errors) {
  LayerResult row = layerResult(m_setup, m_observations, errors, layer);
  LayerResult& before = m_result.layers[layer];
  row.accumulated = std::move(before.accumulated);
  row.histogram = std::move(before.histogram);
  row.clippedShare = before.clippedShare;
  row.clippedSquare = before.clippedSquare;
  row.analysedMin = before.analysedMin;
  row.analysedMax = before.analysedMax;
  before = std::move(row);
}

AnalysisResult FirstEffects::withOwnErrors() {
  const std::vector<std::size_t> changed = changedLayers();
  MeasureScope scope;
  for (const std::size_t layer : changed) {
    if (m_setup.layers[layer].local) scope.localOf.push_back(layer);
  }
  LayerErrors errors(m_model.layers.size());
  if (!scope.localOf.empty()) {
    m_job.beginStage("Measuring the edited layers", m_opened.data->sampleCount(), "samples");
    forEachFeed(
        *m_opened.data, m_job,
        [&](const Feed& feed) { return measureFeed(m_setup, feed, scope, m_memory.errors, m_job); },
        [&](const Feed&, const FeedRecords& records) { errors.add(records); });
  }
  for (const std::size_t layer : changed) replaceRow(layer, errors);
  m_result.scheme = describeDefault(*m_opened.request.config.precision);
  m_result.notSupported = m_model.notSupported;
  m_result.notices = m_model.notices;
  m_result.summary = summarize(*m_opened.model.engine, m_model, m_observations);
  return m_result;
}

AnalysisResult FirstEffects::withFirstOutputs() {
  const Feed feed = m_opened.data->read(0);
  const MeasureScope scope{.layers = false, .outputs = true, .localOf = {}};
  const FeedRecords records = measureFeed(m_setup, feed, scope, m_memory.errors, m_job);
  const Graph& graph = m_setup.graph();
  for (std::size_t i = 0; i < records.outputs.size(); ++i) {
    OutputErrors output(graph, graph.outputs()[i], m_opened.labels.classes);
    output.add(*records.outputs[i], feed.firstSample);
    m_result.outputs[i] = output.result();
  }
  return m_result;
}

}  // namespace quantscope

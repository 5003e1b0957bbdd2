#include "analysis/twin_run.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/cost/layer_counts.h"
#include "analysis/errors/output_errors.h"
#include "analysis/layer_run.h"
#include "analysis/value_uses.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

/// The measurements to make of a layer; filled while the runs go on.
struct LayerTasks {
  std::optional<ErrorRecord> accumulated;
  std::optional<ErrorRecord> local;
  std::optional<BinRecord> referenceBins;
  std::optional<BinRecord> quantizedBins;
  std::optional<ClipRecord> clips;
  bool any = false;
  bool done = false;

  bool quantized() const { return accumulated || quantizedBins; }
};

template <class Record>
void look(ErrorStore& errors, ContentId feed, ContentId key, std::shared_ptr<const Record>& known,
          std::optional<Record>& task) {
  known = errors.find<Record>(combined({feed, key}));
  if (known == nullptr) task.emplace();
}

template <class Record>
void keep(ErrorStore& errors, ContentId feed, ContentId key, std::optional<Record>& task,
          std::shared_ptr<const Record>& known) {
  if (task) known = errors.insert(combined({feed, key}), *std::exchange(task, std::nullopt));
}

class TwinRun {
 public:
  TwinRun(const TwinSetup& setup, const Feed& feed, const MeasureScope& scope, ErrorStore& errors,
          const JobContext& job)
      : m_setup(setup),
        m_graph(setup.graph()),
        m_feed(feed),
        m_sample{feed.content, feed.inputs, feed.batch},
        m_scope(scope),
        m_errors(errors),
        m_job(job),
        m_tasks(setup.layers.size()),
        m_referenceUses(m_graph.values().size()),
        m_quantizedUses(m_graph.values().size()) {}

  FeedRecords run() {
    lookUp();
    if (measuresAll()) touchValues();
    if (!m_missing) return std::move(m_records);
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
      if (m_tasks[i].any) wantFor(i);
    }
    wantOutputs();
    m_reference = evaluationOf(nullptr, m_setup.referenceKeys, m_referenceUses);
    m_quantized = evaluationOf(&m_setup.model.applied, m_setup.quantizedKeys, m_quantizedUses);
    for (std::size_t i = 0; i < m_tasks.size(); ++i) complete(i);
    while (!m_reference->finished() || !m_quantized->finished()) {
      m_job.throwIfCancelled();
      advance();
    }
    keepAll();
    return std::move(m_records);
  }

 private:
  void lookUp() {
    m_records.layers.resize(m_tasks.size());
    if (!m_scope.localOf.empty()) {
      for (const std::size_t layer : m_scope.localOf) lookUpLocal(layer);
      return;
    }
    for (std::size_t i = 0; m_scope.layers && i < m_tasks.size(); ++i) lookUpLayer(i);
    if (!m_scope.outputs) return;
    for (const OutputMeasures& output : m_setup.outputs) {
      m_records.outputs.push_back(
          m_errors.find<OutputRecord>(combined({m_feed.content, output.key})));
      m_missing = m_missing || m_records.outputs.back() == nullptr;
    }
  }

  void lookUpLocal(std::size_t index) {
    const LayerMeasures& layer = m_setup.layers[index];
    LayerTasks& tasks = m_tasks[index];
    if (!layer.output.valid() || !layer.local) return;
    look(m_errors, m_feed.content, layer.localKey, m_records.layers[index].local, tasks.local);
    tasks.any = tasks.any || tasks.local;
    m_missing = m_missing || tasks.any;
  }

  void lookUpLayer(std::size_t index) {
    const LayerMeasures& layer = m_setup.layers[index];
    if (!layer.output.valid()) return;
    LayerTasks& tasks = m_tasks[index];
    LayerRecords& records = m_records.layers[index];
    const ContentId feed = m_feed.content;
    look(m_errors, feed, layer.accumulatedKey, records.accumulated, tasks.accumulated);
    if (layer.counted) {
      look(m_errors, feed, layer.referenceBinsKey, records.referenceBins, tasks.referenceBins);
      look(m_errors, feed, layer.quantizedBinsKey, records.quantizedBins, tasks.quantizedBins);
    }
    if (layer.clips) look(m_errors, feed, layer.clipsKey, records.clips, tasks.clips);
    tasks.any = tasks.accumulated || tasks.referenceBins || tasks.quantizedBins || tasks.clips;
    m_missing = m_missing || tasks.any;
    lookUpLocal(index);
  }

  bool measuresAll() const { return m_scope.layers && m_scope.localOf.empty(); }

  // An edit starts from what this configuration has, so that must not be the first to go.
  void touchValues() {
    ActivationCache& cache = m_setup.evaluator.cache();
    for (const LayerMeasures& layer : m_setup.layers) {
      if (!layer.output.valid()) continue;
      cache.touch(Evaluator::key(m_sample, m_setup.referenceKeys, layer.output));
      cache.touch(Evaluator::key(m_sample, m_setup.quantizedKeys, layer.output));
    }
  }

  void wantFor(std::size_t index) {
    const LayerMeasures& layer = m_setup.layers[index];
    const LayerTasks& tasks = m_tasks[index];
    m_referenceUses.add(layer.output);
    if (tasks.local || layer.inside) {
      for (const ValueId input : layer.inputs) m_referenceUses.add(input);
    }
    if (tasks.quantized() || layer.inside) m_quantizedUses.add(layer.output);
    // If both runs see the same values of a sub-graph, they take the same steps through it.
    if (layer.inside) {
      for (const ValueId input : layer.inputs) m_quantizedUses.add(input);
    }
  }

  void wantOutputs() {
    for (std::size_t i = 0; i < m_records.outputs.size(); ++i) {
      if (m_records.outputs[i] != nullptr) continue;
      m_referenceUses.add(m_setup.outputs[i].value);
      m_quantizedUses.add(m_setup.outputs[i].value);
    }
  }

  std::unique_ptr<Evaluation> evaluationOf(const AppliedQuantization* quantization,
                                           const ValueKeys& keys, const ValueUses& uses) const {
    std::vector<ValueId> wanted = uses.values();
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
      const LayerMeasures& layer = m_setup.layers[i];
      if (!m_tasks[i].any || layer.inside || !uses.any(layer.output)) continue;
      wanted.insert(wanted.end(), layer.byproducts.begin(), layer.byproducts.end());
    }
    const Evaluator& evaluator = quantization == nullptr ? m_setup.reference : m_setup.evaluator;
    return std::make_unique<Evaluation>(evaluator, m_sample, keys, quantization, wanted,
                                        Evaluation::Keep::InCache);
  }

  // The run that is behind goes on, so that few values have to wait for their counterparts.
  void advance() {
    Evaluation& reference = *m_reference;
    Evaluation& quantized = *m_quantized;
    if (reference.finished()) return stepQuantized();
    if (quantized.finished()) return stepReference();
    if (reference.next() == quantized.next() && reference.depth() == quantized.depth()) {
      return stepBoth();
    }
    if (reference.depth() > 1 && quantized.depth() > 1) return leaveDifferingBodies();
    if (reference.depth() > 1) return stepReference();
    if (quantized.depth() > 1) return stepQuantized();
    if (m_setup.rank[reference.next().at()] <= m_setup.rank[quantized.next().at()]) {
      stepReference();
    } else {
      stepQuantized();
    }
  }

  void stepBoth() {
    runInside(m_reference->next());
    const NodeId done = stepAndTake(*m_reference);
    stepAndTake(*m_quantized);
    if (done.valid()) compareInside(done);
    completeMade(*m_reference);
    completeMade(*m_quantized);
  }

  void stepReference() {
    stepAndTake(*m_reference);
    completeMade(*m_reference);
  }

  void stepQuantized() {
    stepAndTake(*m_quantized);
    completeMade(*m_quantized);
  }

  // Byproducts are for the cache alone.
  NodeId stepAndTake(Evaluation& run) {
    const NodeId done = run.step();
    const ValueUses& uses = &run == m_reference.get() ? m_referenceUses : m_quantizedUses;
    for (const ValueId value : run.made()) {
      if (!uses.any(value)) run.release(value);
    }
    return done;
  }

  // A condition that quantization has turned over: the two runs are in different sub-graphs, or
  // one has left a loop. Their values have no counterparts until both are outside again.
  void leaveDifferingBodies() {
    const std::size_t depth = m_reference->depth() == m_quantized->depth()
                                  ? m_reference->depth() - 1
                                  : std::min(m_reference->depth(), m_quantized->depth());
    while (m_reference->depth() > depth) stepReference();
    while (m_quantized->depth() > depth) stepQuantized();
  }

  void completeMade(const Evaluation& run) {
    for (const ValueId value : run.made()) {
      const NodeId producer = m_graph[value].producer;
      if (m_setup.layerOfLast[producer.at()] != TwinSetup::kNoLayer) {
        complete(m_setup.layerOfLast[producer.at()]);
      }
      for (const NodeId reader : m_graph[value].consumers) {
        if (m_setup.layerOfLead[reader.at()] != TwinSetup::kNoLayer) {
          complete(m_setup.layerOfLead[reader.at()]);
        }
      }
    }
  }

  // Measures a layer of the main graph once all its values are there.
  void complete(std::size_t index) {
    const LayerMeasures& layer = m_setup.layers[index];
    LayerTasks& tasks = m_tasks[index];
    if (!tasks.any || tasks.done || layer.inside) return;
    const Tensor expected = m_reference->find(layer.output).tensor;
    if (!expected.defined()) return;
    Tensor actual;
    if (tasks.quantized()) {
      actual = m_quantized->find(layer.output).tensor;
      if (!actual.defined()) return;
    }
    const auto isThere = [&](ValueId input) { return m_reference->find(input).tensor.defined(); };
    if (tasks.local && !std::ranges::all_of(layer.inputs, isThere)) return;
    tasks.done = true;
    if (isFloat(expected.type())) {
      if (tasks.quantized()) compare(index, expected, actual);
      countReference(index, expected);
      if (tasks.local) compareLocal(index, expected, runLocally(index));
    }
    releaseFor(layer, tasks);
  }

  void releaseFor(const LayerMeasures& layer, const LayerTasks& tasks) {
    const auto release = [](ValueUses& uses, Evaluation& run, ValueId value) {
      if (uses.remove(value)) run.release(value);
    };
    release(m_referenceUses, *m_reference, layer.output);
    if (tasks.quantized()) release(m_quantizedUses, *m_quantized, layer.output);
    if (!tasks.local) return;
    for (const ValueId input : layer.inputs) release(m_referenceUses, *m_reference, input);
  }

  void compare(std::size_t index, const Tensor& expected, const Tensor& actual) {
    LayerTasks& tasks = m_tasks[index];
    if (actual.shape() != expected.shape()) return;
    const ChannelAxis axis = m_setup.channelAxes[m_setup.layers[index].output.at()];
    if (tasks.accumulated) addTo(*tasks.accumulated, expected, actual, axis);
    if (tasks.quantizedBins) {
      countInto(actual, *m_setup.ranges[index], m_feed.batch, m_feed.samples, *tasks.quantizedBins);
    }
  }

  void countReference(std::size_t index, const Tensor& expected) {
    LayerTasks& tasks = m_tasks[index];
    if (tasks.referenceBins) {
      countInto(expected, *m_setup.ranges[index], m_feed.batch, m_feed.samples,
                *tasks.referenceBins);
    }
    if (tasks.clips) {
      countClipped(expected, *m_setup.model.layers[index].output, m_feed.batch, m_feed.samples,
                   *tasks.clips);
    }
  }

  void compareLocal(std::size_t index, const Tensor& expected, const Tensor& local) {
    if (!local.defined() || local.shape() != expected.shape()) return;
    addTo(*m_tasks[index].local, expected, local,
          m_setup.channelAxes[m_setup.layers[index].output.at()]);
  }

  void addTo(ErrorRecord& record, const Tensor& expected, const Tensor& actual, ChannelAxis axis) {
    record.samples.resize(m_feed.samples);
    addErrors(expected, actual, axis, m_feed.batch, record.samples);
  }

  Tensor runLocally(std::size_t index) {
    return evaluateLayer(index, [this](ValueId input, Layout preferred) {
      return tensorOf(m_reference->find(input), preferred);
    });
  }

  // The layer under its quantization, on the float run's values.
  template <class ValueOf>
  Tensor evaluateLayer(std::size_t index, const ValueOf& valueOf) const {
    const FusedLayer& layer = m_setup.model.layers[index].layer;
    return runLayer(m_setup.engine(), layer, quantizationOf(layer, m_setup.model.applied),
                    m_feed.batch, [&](NodeId node, std::size_t input, Layout preferred) {
                      const ValueId value = m_graph[node].inputs[input];
                      // Those of the float network may be others.
                      const Tensor* constant = m_setup.engine().constant(value);
                      if (constant != nullptr) return tensorOf({*constant}, preferred);
                      return valueOf(value, preferred);
                    });
  }

  // Inside a sub-graph a layer is measured each time that both runs pass it together.
  void runInside(NodeId node) {
    const std::size_t index = m_setup.layerOfLead[node.at()];
    if (index == TwinSetup::kNoLayer || !m_setup.layers[index].inside) return;
    if (!m_tasks[index].local) return;
    m_pending[index] = evaluateLayer(index, [this](ValueId input, Layout preferred) {
      return m_reference->inside(input, preferred);
    });
  }

  void compareInside(NodeId node) {
    const std::size_t index = m_setup.layerOfLast[node.at()];
    if (index == TwinSetup::kNoLayer || !m_setup.layers[index].inside) return;
    if (!m_tasks[index].any) return;
    const ValueId output = m_setup.layers[index].output;
    const Tensor expected = m_reference->inside(output, Layout::ChannelsLast);
    if (!expected.defined() || !isFloat(expected.type())) return;
    const Tensor actual = m_quantized->inside(output, expected.layout());
    if (actual.defined()) {
      compare(index, expected, actual);
      if (actual.shape() == expected.shape()) countReference(index, expected);
    }
    if (m_tasks[index].local) {
      compareLocal(index, expected, std::exchange(m_pending[index], Tensor()));
    }
  }

  void keepAll() {
    const ContentId feed = m_feed.content;
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
      LayerTasks& tasks = m_tasks[i];
      if (!tasks.any) continue;
      if (tasks.accumulated) tasks.accumulated->samples.resize(m_feed.samples);
      if (tasks.local) tasks.local->samples.resize(m_feed.samples);
      const LayerMeasures& layer = m_setup.layers[i];
      LayerRecords& records = m_records.layers[i];
      keep(m_errors, feed, layer.accumulatedKey, tasks.accumulated, records.accumulated);
      keep(m_errors, feed, layer.localKey, tasks.local, records.local);
      keep(m_errors, feed, layer.referenceBinsKey, tasks.referenceBins, records.referenceBins);
      keep(m_errors, feed, layer.quantizedBinsKey, tasks.quantizedBins, records.quantizedBins);
      keep(m_errors, feed, layer.clipsKey, tasks.clips, records.clips);
    }
    for (std::size_t i = 0; i < m_records.outputs.size(); ++i) {
      if (m_records.outputs[i] != nullptr) continue;
      const OutputMeasures& output = m_setup.outputs[i];
      m_records.outputs[i] =
          m_errors.insert(combined({feed, output.key}),
                          measureOutput(tensorOf(m_reference->find(output.value), Layout::Plain),
                                        tensorOf(m_quantized->find(output.value), Layout::Plain),
                                        m_feed.batch, m_feed.samples, output.afterSoftmax));
    }
  }

  const TwinSetup& m_setup;
  const Graph& m_graph;
  const Feed& m_feed;
  SampleInputs m_sample;
  const MeasureScope& m_scope;
  ErrorStore& m_errors;
  const JobContext& m_job;
  FeedRecords m_records;
  std::vector<LayerTasks> m_tasks;  // by layer
  bool m_missing = false;
  ValueUses m_referenceUses;
  ValueUses m_quantizedUses;
  std::unique_ptr<Evaluation> m_reference;
  std::unique_ptr<Evaluation> m_quantized;
  // By layer in a sub-graph: its own quantized output, kept until its float output is there.
  std::unordered_map<std::size_t, Tensor> m_pending;
};

}  // namespace

FeedRecords measureFeed(const TwinSetup& setup, const Feed& feed, const MeasureScope& scope,
                        ErrorStore& errors, const JobContext& job) {
  return TwinRun(setup, feed, scope, errors, job).run();
}

bool isMeasured(const TwinSetup& setup, const Feed& feed, ErrorStore& errors) {
  const auto errorsOf = [&](ContentId key) {
    return errors.find<ErrorRecord>(combined({feed.content, key})) != nullptr;
  };
  const auto ofLayer = [&](const LayerMeasures& layer) {
    return !layer.output.valid() ||
           (errorsOf(layer.accumulatedKey) && (!layer.local || errorsOf(layer.localKey)));
  };
  const auto ofOutput = [&](const OutputMeasures& output) {
    return errors.find<OutputRecord>(combined({feed.content, output.key})) != nullptr;
  };
  return std::ranges::all_of(setup.outputs, ofOutput) && std::ranges::all_of(setup.layers, ofLayer);
}

}  // namespace quantscope

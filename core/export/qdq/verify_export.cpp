#include "export/qdq/verify_export.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/errors/output_errors.h"
#include "base/error.h"
#include "base/number_text.h"
#include "calibration/feed_loop.h"
#include "engine/execution.h"
#include "export/qdq/export_windows.h"

namespace quantscope {
namespace {

using Values = std::vector<std::pair<ValueId, Tensor>>;

/// A window with the float network's values of its inputs.
struct ReadyWindow {
  std::size_t index = 0;
  Values given;
};

/// Runs the float network on from window to window, so that only the inputs of a few windows are
/// there at any time.
class WindowFeeder {
 public:
  /// Both outlive it.
  WindowFeeder(const Engine& engine, const std::vector<ExportWindow>& windows, const Feed& feed)
      : m_graph(engine.graph()),
        m_windows(windows),
        m_given(windows.size()),
        m_plan(engine, requestOf(windows, feed)),
        m_execution(m_plan, feed.inputs, nullptr, feed.batch) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      for (const ValueId input : windows[i].inputs) m_readers[input].push_back(i);
      if (windows[i].inputs.empty()) m_ready.push_back({i, {}});
    }
    for (const auto& [value, tensor] : feed.inputs) deliver(value, tensor);
  }

  /// The next windows whose inputs are there, at least `count` unless there are no more. Inputs in
  /// a branch that is not taken never are. Call inside Workers::run().
  std::vector<ReadyWindow> next(std::size_t count, const JobContext& job) {
    while (m_ready.size() < count && !m_execution.finished()) {
      job.throwIfCancelled();
      const NodeId node = m_execution.step();
      if (!node.valid()) continue;
      for (const ValueId output : m_graph[node].outputs) {
        if (output.valid() && m_readers.contains(output)) {
          deliver(output, m_execution.value(output));
        }
      }
    }
    return std::exchange(m_ready, {});
  }

 private:
  static PlanRequest requestOf(const std::vector<ExportWindow>& windows, const Feed& feed) {
    PlanRequest request;
    std::set<ValueId> known;
    for (const auto& [value, tensor] : feed.inputs) {
      request.given.push_back(value);
      known.insert(value);
    }
    for (const ExportWindow& window : windows) {
      for (const ValueId input : window.inputs) {
        if (known.insert(input).second) request.wanted.push_back(input);
      }
    }
    return request;
  }

  void deliver(ValueId value, const Tensor& tensor) {
    if (!tensor.defined() || !m_readers.contains(value)) return;
    for (const std::size_t window : m_readers.at(value)) {
      m_given[window].emplace_back(value, tensor);
      if (m_given[window].size() < m_windows[window].inputs.size()) continue;
      m_ready.push_back({window, std::exchange(m_given[window], {})});
    }
  }

  const Graph& m_graph;
  const std::vector<ExportWindow>& m_windows;
  std::map<ValueId, std::vector<std::size_t>> m_readers;  // windows by input
  std::vector<Values> m_given;                            // by window: those that are there
  std::vector<ReadyWindow> m_ready;
  Plan m_plan;
  Execution m_execution;
};

class ExportVerifier {
 public:
  ExportVerifier(const Engine& engine, const QuantizedModel& model, const QdqModel& qdq,
                 const Engine& written, JobContext& job)
      : m_engine(engine), m_model(model), m_qdq(qdq), m_written(written), m_job(job) {}

  ExportAgreement run(SampleSource& source, std::size_t samples) {
    compareLayers(source.read(0));
    compareOutputs(source, samples);
    return std::move(m_result);
  }

 private:
  const Graph& graph() const { return m_engine.graph(); }

  ValueId twin(ValueId value) const {
    const ValueId read = m_qdq.readAs[value.at()];
    if (!read.valid()) return {};
    return m_written.graph().findValue(m_qdq.draft.graph[read].name);
  }

  Values twins(const Values& values) const {
    Values result;
    for (const auto& [value, tensor] : values) {
      const ValueId id = twin(value);
      if (!id.valid()) continue;
      result.emplace_back(id, tensor);
      // Of the same numbers, for readers with float weights.
      const auto hidden = m_qdq.hidden.find(m_qdq.readAs[value.at()]);
      if (hidden == m_qdq.hidden.end()) continue;
      const std::string& name = m_qdq.draft.graph[hidden->second].name;
      result.emplace_back(m_written.graph().findValue(name), tensor);
    }
    return result;
  }

  std::vector<Tensor> run(const Engine& engine, const Values& given,
                          const std::vector<ValueId>& wanted, const AppliedQuantization* applied,
                          std::size_t batch) const {
    PlanRequest request{{}, wanted, wanted};
    for (const auto& [value, tensor] : given) request.given.push_back(value);
    const Plan plan(engine, request);
    Execution execution(plan, given, applied, batch);
    while (!execution.finished()) {
      m_job.throwIfCancelled();
      execution.step();
    }
    std::vector<Tensor> values;
    for (const ValueId value : wanted) values.push_back(execution.value(value));
    return values;
  }

  void compareLayers(const Feed& feed) {
    const std::vector<ExportWindow> windows = cutIntoWindows(m_engine, m_model, m_qdq.readAs, 1);
    m_job.beginStage("Verifying layers", windows.size());
    m_result.layers.resize(windows.size());
    WindowFeeder feeder(m_engine, windows, feed);
    const auto atOnce = static_cast<std::size_t>(m_job.workers().threads());
    std::size_t done = 0;
    while (true) {
      std::vector<ReadyWindow> ready;
      m_job.workers().run([&] { ready = feeder.next(atOnce, m_job); });
      if (ready.empty()) break;
      m_job.workers().forEach(ready.size(), [&](std::size_t i) {
        const std::size_t index = ready[i].index;
        m_result.layers[index] = compareLayer(windows[index], ready[i].given, feed.batch);
      });
      m_job.advance(done += ready.size());
    }
    std::erase_if(m_result.layers, [](const LayerAgreement& layer) { return layer.elements == 0; });
  }

  LayerAgreement compareLayer(const ExportWindow& window, const Values& given,
                              std::size_t batch) const {
    LayerAgreement agreement{window.name};
    std::vector<ValueId> wanted;
    for (const ValueId output : window.outputs) {
      wanted.push_back(twin(output));
      if (!wanted.back().valid()) return {window.name, 1, 0};
    }
    const auto simulated = run(m_engine, given, window.outputs, &m_model.applied, batch);
    const auto exported = run(m_written, twins(given), wanted, nullptr, batch);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (simulated[i].defined()) count(window.outputs[i], simulated[i], exported[i], agreement);
    }
    return agreement;
  }

  void count(ValueId value, const Tensor& simulated, const Tensor& exported,
             LayerAgreement& agreement) const {
    if (!isFloat(simulated.type())) return;
    agreement.elements += simulated.elementCount();
    if (!exported.defined() || exported.shape() != simulated.shape()) return;
    const StepSize step(m_model, value, simulated);
    const Tensor ours = toFloat32(simulated);
    const Tensor theirs = toFloat32(exported);
    const std::span<const float> x = ours.values<float>();
    const std::span<const float> y = theirs.values<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Steps are differences of rounded numbers themselves.
      constexpr double kSlack = 1.0001;
      const bool same = std::isnan(x[i]) ? std::isnan(y[i]) : x[i] == y[i];
      if (same || std::abs(double{x[i]} - y[i]) <= kSlack * step.at(x[i])) ++agreement.within;
    }
  }

  struct FeedOutputs {
    std::vector<Tensor> reference;
    std::vector<Tensor> simulated;
    std::vector<Tensor> exported;
  };

  void compareOutputs(SampleSource& source, std::size_t samples) {
    const std::vector<ValueId> outputs(graph().outputs().begin(), graph().outputs().end());
    std::vector<ValueId> wanted;
    for (const ValueId output : outputs) {
      wanted.push_back(m_written.graph().findValue(graph()[output].name));
    }
    std::vector<OutputErrors> toSimulation;
    std::vector<OutputErrors> toFloat;
    std::vector<OutputErrors> writtenToFloat;
    for (const ValueId output : outputs) {
      toSimulation.emplace_back(graph(), output, std::span<const std::int64_t>());
      toFloat.emplace_back(graph(), output, std::span<const std::int64_t>());
      writtenToFloat.emplace_back(graph(), output, std::span<const std::int64_t>());
    }
    m_job.beginStage("Verifying outputs", std::min(samples, source.sampleCount()), "samples");
    const auto compute = [&](const Feed& feed) {
      Values inputs;
      for (const auto& [value, tensor] : feed.inputs) {
        const ValueId input = m_written.graph().findValue(graph()[value].name);
        if (input.valid()) inputs.emplace_back(input, tensor);
      }
      return FeedOutputs{run(m_engine, feed.inputs, outputs, nullptr, feed.batch),
                         run(m_engine, feed.inputs, outputs, &m_model.applied, feed.batch),
                         run(m_written, inputs, wanted, nullptr, feed.batch)};
    };
    const auto fold = [&](const Feed& feed, const FeedOutputs& values) {
      m_result.samples += feed.samples;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        toSimulation[i].add(
            measureOutput(values.simulated[i], values.exported[i], feed.batch, feed.samples, false),
            feed.firstSample);
        toFloat[i].add(measureOutput(values.reference[i], values.simulated[i], feed.batch,
                                     feed.samples, false),
                       feed.firstSample);
        writtenToFloat[i].add(
            measureOutput(values.reference[i], values.exported[i], feed.batch, feed.samples, false),
            feed.firstSample);
      }
    };
    const std::size_t perFeed = source.sampleCount() / std::max<std::size_t>(1, source.feedCount());
    forEachFeed(source, m_job, compute, fold,
                std::max<std::size_t>(1, samples / std::max<std::size_t>(1, perFeed)));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputResult simulated = toSimulation[i].result();
      m_result.outputs.push_back({graph()[outputs[i]].name, simulated.error.sqnrDb,
                                  toFloat[i].result().error.sqnrDb, simulated.top1Agreement,
                                  writtenToFloat[i].result().error.sqnrDb});
    }
  }

  const Engine& m_engine;
  const QuantizedModel& m_model;
  const QdqModel& m_qdq;
  const Engine& m_written;
  JobContext& m_job;
  ExportAgreement m_result;
};

}  // namespace

double ExportAgreement::share() const {
  LayerAgreement all;
  for (const LayerAgreement& layer : layers) {
    all.elements += layer.elements;
    all.within += layer.within;
  }
  return all.share();
}

std::string ExportAgreement::problem() const {
  const auto worst = std::ranges::min_element(layers, {}, &LayerAgreement::share);
  if (worst != layers.end() && worst->share() < kLeastShare) {
    return "only " + percent(worst->share()) + " of the elements of '" + worst->node +
           "' are within one step of the simulation";
  }
  for (const OutputAgreement& output : outputs) {
    if (!output.toSimulationDb) continue;
    const double gain = *output.toSimulationDb - output.simulationToFloatDb.value_or(0);
    if (*output.toSimulationDb >= kSureDb || gain >= kLeastGainDb) continue;
    return "the output '" + output.value + "' is " + shortNumber(*output.toSimulationDb) +
           " dB from the simulation, which is " + shortNumber(output.simulationToFloatDb) +
           " dB from the float network";
  }
  return {};
}

ExportAgreement verifyExport(const Engine& engine, const QuantizedModel& model, const QdqModel& qdq,
                             const Engine& written, SampleSource& source, std::size_t samples,
                             JobContext& job) {
  return ExportVerifier(engine, model, qdq, written, job).run(source, samples);
}

}  // namespace quantscope

#include "export/qdq/verify_export.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/output_errors.h"
#include "base/error.h"
#include "calibration/feed_loop.h"
#include "engine/execution.h"
#include "export/number_text.h"
#include "export/qdq/export_windows.h"

namespace quantscope {
namespace {

using Values = std::vector<std::pair<ValueId, Tensor>>;

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
      if (const ValueId id = twin(value); id.valid()) result.emplace_back(id, tensor);
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

  std::map<ValueId, Tensor> floatValues(const Feed& feed,
                                        const std::vector<ExportWindow>& windows) const {
    std::map<ValueId, Tensor> values;
    for (const auto& [value, tensor] : feed.inputs) values[value] = tensor;
    std::vector<ValueId> wanted;
    for (const ExportWindow& window : windows) {
      for (const ValueId input : window.inputs) {
        if (values.try_emplace(input).second) wanted.push_back(input);
      }
    }
    std::vector<Tensor> computed;
    m_job.workers().run(
        [&] { computed = run(m_engine, feed.inputs, wanted, nullptr, feed.batch); });
    for (std::size_t i = 0; i < wanted.size(); ++i) values[wanted[i]] = computed[i];
    return values;
  }

  void compareLayers(const Feed& feed) {
    const std::vector<ExportWindow> windows = cutIntoWindows(m_engine, m_model, m_qdq.readAs, 1);
    m_job.beginStage("Verifying layers", windows.size());
    const std::map<ValueId, Tensor> values = floatValues(feed, windows);
    m_result.layers.resize(windows.size());
    m_job.workers().forEach(windows.size(), [&](std::size_t i) {
      m_result.layers[i] = compareLayer(windows[i], values, feed.batch);
    });
    std::erase_if(m_result.layers, [](const LayerAgreement& layer) { return layer.elements == 0; });
  }

  LayerAgreement compareLayer(const ExportWindow& window, const std::map<ValueId, Tensor>& values,
                              std::size_t batch) const {
    LayerAgreement agreement{window.name};
    Values given;
    for (const ValueId input : window.inputs) {
      if (!values.at(input).defined()) return agreement;  // in a branch that was not taken
      given.emplace_back(input, values.at(input));
    }
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
    for (const ValueId output : outputs) {
      toSimulation.emplace_back(graph(), output, std::span<const std::int64_t>());
      toFloat.emplace_back(graph(), output, std::span<const std::int64_t>());
    }
    m_job.beginStage("Verifying outputs", std::min(samples, source.sampleCount()));
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
      }
    };
    const std::size_t perFeed = source.sampleCount() / std::max<std::size_t>(1, source.feedCount());
    forEachFeed(source, m_job, compute, fold,
                std::max<std::size_t>(1, samples / std::max<std::size_t>(1, perFeed)));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const OutputResult simulated = toSimulation[i].result();
      m_result.outputs.push_back({graph()[outputs[i]].name, simulated.error.sqnrDb,
                                  toFloat[i].result().error.sqnrDb, simulated.top1Agreement});
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

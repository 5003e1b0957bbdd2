#include "jobs/export/verified_qdq.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "export/loss_report.h"
#include "export/qdq/exported_biases.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"

namespace quantscope {
namespace {

using IntegerBiases = std::vector<IntegerBias>;

// Of an output against the float network, for integer biases.
constexpr double kMostLossDb = 1;

class QdqMaker {
 public:
  QdqMaker(const ShownModel& shown, SampleSource& source, std::optional<int> opset, JobContext& job)
      : m_shown(shown), m_source(source), m_opset(opset), m_job(job) {}

  VerifiedQdq make(const IntegerBiases& biases) {
    if (!biases.empty()) {
      Attempt all = attempt(biases);
      if (all.keepsShown) return std::move(all.made);
      const IntegerBiases unmoved = withoutMoved(biases, all.made.agreement);
      if (!unmoved.empty() && unmoved.size() < biases.size()) {
        Attempt some = attempt(unmoved);
        if (some.keepsShown) return std::move(some.made);
      }
    }
    return attempt({}).made;
  }

 private:
  struct Attempt {
    VerifiedQdq made;
    bool keepsShown = true;
  };

  const Engine& engine() const { return *m_shown.model.engine; }

  Attempt attempt(const IntegerBiases& biases) {
    m_job.throwIfCancelled();
    const QuantizedModel changed = withIntegerBiases(m_shown.quantized, biases);
    const QdqModel qdq =
        buildQdqModel(engine(), changed, m_opset, m_shown.config.precision->backend != "tensorrt");
    VerifiedQdq made{modelBytes(qdq.draft), qdq.opset, qdq.losses, {}, {}};
    addLosses(lossesOfBiases(engine().graph(), m_shown.quantized, biases, true), made.losses);
    m_job.throwIfCancelled();
    const Engine written(importModelBytes(made.bytes), m_job.workers());
    made.agreement =
        verifyExport(engine(), m_shown.quantized, qdq, written, m_source, kVerifiedSamples, m_job);
    made.problem = made.agreement.problem();
    if (biases.empty()) return {std::move(made)};
    const ExportAgreement own =
        verifyExport(engine(), changed, qdq, written, m_source, kVerifiedSamples, m_job);
    made.problem = own.problem();
    const bool keeps = made.problem.empty() && keepsOutputs(made.agreement, own);
    return {std::move(made), keeps};
  }

  // `own`: the agreement with a simulation that has the file's biases.
  static bool keepsOutputs(const ExportAgreement& shown, const ExportAgreement& own) {
    for (std::size_t i = 0; i < shown.outputs.size(); ++i) {
      if (shown.outputs[i].top1.value_or(1) < 1) return false;
      const std::optional<double>& before = shown.outputs[i].simulationToFloatDb;
      const std::optional<double>& after = own.outputs[i].simulationToFloatDb;
      if (before && (!after || *after < *before - kMostLossDb)) return false;
    }
    return true;
  }

  // Those of layers that they move by no more than a step.
  IntegerBiases withoutMoved(const IntegerBiases& biases, const ExportAgreement& agreement) const {
    std::set<std::string> moved;
    for (const LayerAgreement& layer : agreement.layers) {
      if (layer.share() < kLeastShare) moved.insert(layer.node);
    }
    IntegerBiases kept;
    std::ranges::copy_if(biases, std::back_inserter(kept), [&](const IntegerBias& bias) {
      const NodeId lead = m_shown.quantized.layers[bias.layer].layer.lead();
      return !moved.contains(engine().graph()[lead].name);
    });
    return kept;
  }

  const ShownModel& m_shown;
  SampleSource& m_source;
  std::optional<int> m_opset;
  JobContext& m_job;
};

IntegerBiases integerBiasesOf(const ShownModel& shown, const JobContext* job = nullptr) {
  if (shown.config.precision->bias) return {};
  IntegerBiases biases = findIntegerBiases(*shown.model.engine, shown.quantized);
  if (std::ranges::any_of(biases, [](const IntegerBias& bias) { return bias.raised > 0; })) {
    Configuration fitted = shown.config;
    fitted.precision.edit([](PrecisionConfig& precision) { precision.bias = BiasRule::Int32Fit; });
    takeRaisedWeights(quantizeModel(*shown.model.engine, fitted, shown.observations, job), biases);
  }
  return biases;
}

}  // namespace

VerifiedQdq makeVerifiedQdq(const ShownModel& shown, SampleSource& source, std::optional<int> opset,
                            JobContext& job) {
  return QdqMaker(shown, source, opset, job).make(integerBiasesOf(shown, &job));
}

ExportLosses findQdqLosses(const ShownModel& shown, std::optional<int> opset) {
  const Engine& engine = *shown.model.engine;
  const IntegerBiases biases = integerBiasesOf(shown);
  ExportLosses losses =
      buildQdqModel(engine, withIntegerBiases(shown.quantized, biases), opset).losses;
  addLosses(lossesOfBiases(engine.graph(), shown.quantized, biases, false), losses);
  return losses;
}

}  // namespace quantscope

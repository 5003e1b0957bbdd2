#include "jobs/verified_qdq.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "export/loss_report.h"
#include "export/qdq/exported_biases.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"

namespace quantscope {
namespace {

using LayerIndices = std::vector<std::size_t>;

// Of an output against the float network, for integer biases.
constexpr double kMostLossDb = 1;

class QdqMaker {
 public:
  QdqMaker(const ShownModel& shown, SampleSource& source, std::size_t samples,
           std::optional<int> opset, JobContext& job)
      : m_shown(shown), m_source(source), m_samples(samples), m_opset(opset), m_job(job) {}

  VerifiedQdq make(const LayerIndices& integerBiases) {
    if (integerBiases.empty()) return verified(integerBiases);
    VerifiedQdq all = verified(integerBiases);
    if (m_kept) return all;
    const LayerIndices kept = keptLayers(integerBiases, all.agreement);
    if (!kept.empty() && kept.size() < integerBiases.size()) {
      VerifiedQdq some = verified(kept);
      if (m_kept) return some;
    }
    return verified({});
  }

 private:
  const Engine& engine() const { return *m_shown.model.engine; }

  VerifiedQdq verified(const LayerIndices& integerBiases) {
    m_job.throwIfCancelled();
    const QuantizedModel changed = withIntegerBiases(engine(), m_shown.quantized, integerBiases);
    const QdqModel qdq = buildQdqModel(engine(), changed, m_opset);
    VerifiedQdq made{modelBytes(qdq.draft), qdq.opset, qdq.losses, {}, {}};
    addLosses(lossesOfBiases(engine(), m_shown.quantized, integerBiases, true), made.losses);
    m_job.throwIfCancelled();
    const Engine written(importModelBytes(made.bytes), m_job.workers());
    made.agreement =
        verifyExport(engine(), m_shown.quantized, qdq, written, m_source, m_samples, m_job);
    made.problem = made.agreement.problem();
    if (integerBiases.empty()) return made;
    const ExportAgreement own =
        verifyExport(engine(), changed, qdq, written, m_source, m_samples, m_job);
    made.problem = own.problem();
    m_kept = made.problem.empty() && keepsOutputs(made.agreement, own);
    return made;
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

  LayerIndices keptLayers(const LayerIndices& layers, const ExportAgreement& agreement) const {
    std::set<std::string> moved;
    for (const LayerAgreement& layer : agreement.layers) {
      if (layer.share() < kLeastShare) moved.insert(layer.node);
    }
    LayerIndices kept;
    std::ranges::copy_if(layers, std::back_inserter(kept), [&](std::size_t layer) {
      const NodeId lead = m_shown.quantized.layers[layer].layer.lead();
      return !moved.contains(engine().graph()[lead].name);
    });
    return kept;
  }

  const ShownModel& m_shown;
  SampleSource& m_source;
  std::size_t m_samples;
  std::optional<int> m_opset;
  JobContext& m_job;
  bool m_kept = false;  // what was verified last keeps what was shown
};

LayerIndices integerBiasesOf(const ShownModel& shown) {
  if (shown.config.precision->bias) return {};
  return findFittingBiases(*shown.model.engine, shown.quantized);
}

}  // namespace

VerifiedQdq makeVerifiedQdq(const ShownModel& shown, SampleSource& source, std::size_t samples,
                            std::optional<int> opset, JobContext& job) {
  return QdqMaker(shown, source, samples, opset, job).make(integerBiasesOf(shown));
}

ExportLosses findQdqLosses(const ShownModel& shown, std::optional<int> opset) {
  const Engine& engine = *shown.model.engine;
  const LayerIndices biases = integerBiasesOf(shown);
  ExportLosses losses =
      buildQdqModel(engine, withIntegerBiases(engine, shown.quantized, biases), opset).losses;
  addLosses(lossesOfBiases(engine, shown.quantized, biases, false), losses);
  return losses;
}

}  // namespace quantscope

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

class QdqMaker {
 public:
  QdqMaker(const ShownModel& shown, SampleSource& source, std::size_t samples,
           std::optional<int> opset, JobContext& job)
      : m_shown(shown), m_source(source), m_samples(samples), m_opset(opset), m_job(job) {}

  VerifiedQdq make(const LayerIndices& integerBiases) {
    if (integerBiases.empty()) return verified(integerBiases);
    VerifiedQdq all = verified(integerBiases);
    if (isKept(all.agreement)) return all;
    const LayerIndices kept = keptLayers(integerBiases, all.agreement);
    if (!kept.empty() && kept.size() < integerBiases.size()) {
      VerifiedQdq some = verified(kept);
      if (isKept(some.agreement)) return some;
    }
    return verified({});
  }

 private:
  const Engine& engine() const { return *m_shown.model.engine; }

  VerifiedQdq verified(const LayerIndices& integerBiases) {
    m_job.throwIfCancelled();
    const QdqModel qdq = buildQdqModel(
        engine(), withIntegerBiases(engine(), m_shown.quantized, integerBiases), m_opset);
    VerifiedQdq made{modelBytes(qdq.draft), qdq.opset, qdq.losses, {}};
    addLosses(lossesOfBiases(engine().graph(), m_shown.quantized, integerBiases), made.losses);
    m_job.throwIfCancelled();
    const Engine written(importModelBytes(made.bytes), m_job.workers());
    made.agreement =
        verifyExport(engine(), m_shown.quantized, qdq, written, m_source, m_samples, m_job);
    return made;
  }

  static bool isKept(const ExportAgreement& agreement) {
    return agreement.problem().empty() &&
           std::ranges::all_of(agreement.outputs, [](const OutputAgreement& output) {
             return output.top1.value_or(1) == 1;
           });
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
  addLosses(lossesOfBiases(engine.graph(), shown.quantized, biases), losses);
  return losses;
}

}  // namespace quantscope

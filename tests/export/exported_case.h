#pragma once

#include <QString>
#include <QTemporaryDir>

#include "base/workers.h"
#include "calibration/open_samples.h"
#include "export/qdq/export_windows.h"
#include "export/qdq/qdq_model.h"
#include "jobs/quantize_model.h"

namespace quantscope::test {

/// A network, calibrated and quantized, with its export.
struct ExportedCase {
  /// Throws what the program throws. `opset` 0 = as needed.
  ExportedCase(const QString& model, const QString& data, const std::string& config,
               std::size_t samples, int opset = 0);

  Workers workers;
  JobContext job{workers};
  LoadedModel model;
  std::unique_ptr<SampleSource> source;
  CalibratedModel calibrated;
  QdqModel qdq;
};

/// A float network with its samples.
struct FloatModel {
  QString name;
  QString model;  ///< empty: QUANTSCOPE_MODELS is not set
  QString data;
};
/// The samples' and the catalogue's.
std::vector<FloatModel> floatModels();

/// The values of a feed, under `applied` where that is not null; `given` as in PlanRequest.
std::vector<Tensor> runOn(const Engine& engine,
                          const std::vector<std::pair<ValueId, Tensor>>& given,
                          const std::vector<ValueId>& wanted, const AppliedQuantization* applied,
                          std::size_t batch, const Workers& workers);

/// A configuration in which every layer that the default one quantizes has, in turn: int8, int16
/// activations, float, FP8, int8.
std::string mixedConfig(const QString& model, const QString& data);

/// How an export run by ONNX Runtime agrees with the simulation.
struct PeerAgreement {
  double windows = 0;      ///< share of elements within one step, in windows of eight nodes
  double worstWindow = 0;  ///< the least share of one window
  std::size_t windowCount = 0;
  double toSimulationDb = 0;  ///< of the worst output: least gain over the next
  double simulationToFloatDb = 0;
  std::optional<double> optimizedDb;  ///< of that output with all graph optimizations
  double top1 = 1;                    ///< share of samples of the same class
  double decided = 1;                 ///< 0 where a sample that is decided has another class
  /// Empty, or which bar does not hold. `half`: a float16 network.
  QString fault(bool half) const;
  QString row(const QString& name) const;
};
PeerAgreement runInPeer(ExportedCase& exported, std::size_t samples);

}  // namespace quantscope::test

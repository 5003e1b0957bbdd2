#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "export/qdq/qdq_model.h"

namespace quantscope {

/// The agreement of a written model's layer with the simulation of that layer alone.
struct LayerAgreement {
  std::string node;
  std::size_t elements = 0;
  std::size_t within = 0;  ///< of them, not more than one step away
  double share() const {
    return elements == 0 ? 1 : static_cast<double>(within) / static_cast<double>(elements);
  }
};

/// The agreement of the whole model at one output. SQNRs in dB over all samples; absent where an
/// output is no float.
struct OutputAgreement {
  std::string value;
  std::optional<double> toSimulationDb;       ///< of the written model, the simulation as signal
  std::optional<double> simulationToFloatDb;  ///< of the simulation, the float network as signal
  std::optional<double> top1;                 ///< share of samples with the simulation's class
  std::optional<double> toFloatDb = {};       ///< of the written model, the float one as signal
};

/// A written model, read back and run by the own engine, beside the simulation.
struct ExportAgreement {
  std::size_t samples = 0;
  std::vector<LayerAgreement> layers;  ///< by layer: run on the float network's values
  std::vector<OutputAgreement> outputs;

  /// Elements of all layers within one step, 0 … 1.
  double share() const;
  /// The first violated condition, in one sentence; empty if all hold: for every layer at least
  /// 99.9 % of the elements within a step, and every output at least 3 dB closer to the simulation
  /// than that is to the float network, or 50 dB.
  std::string problem() const;
};

/// The conditions of verifyExport() on every layer and output.
constexpr double kLeastShare = 0.999;
constexpr double kLeastGainDb = 3;
constexpr double kSureDb = 50;

/// Runs `written`, the model `qdq` as it was read back, beside the simulation: layer by layer on
/// the values of the float network (of the first feed), and as a whole on up to `samples` samples.
ExportAgreement verifyExport(const Engine& engine, const QuantizedModel& model, const QdqModel& qdq,
                             const Engine& written, SampleSource& source, std::size_t samples,
                             JobContext& job);

}  // namespace quantscope

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/applied_quantization.h"
#include "engine/engine.h"
#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// A network of which one layer is quantized.
struct LayerChange {
  const FusedLayer* layer = nullptr;
  const AppliedQuantization* applied = nullptr;  ///< of the whole network
  std::vector<NodeId> others;                    ///< nodes outside of the layer that change, too
};

/// The effect of a change, estimated from gradients.
struct EstimatedError {
  /// By output that was asked for; +∞ where nothing of the error arrives, −∞ where the change makes
  /// a value infinite or NaN that the output feels. None where there is no gradient, or the output
  /// has no real numbers.
  std::vector<std::optional<double>> sqnrDb;
  std::optional<double> localSqnrDb;  ///< of the layer by itself; measured
  std::string whyNot;                 ///< why nothing was estimated; empty where it was
};

struct GradientEstimateSettings {
  std::size_t probes = 0;  ///< backward passes per sample and output; 0 = as probesFor() says
  std::uint64_t seed = 0;
};

/// Enough probes of an output for a relative error of the power of √(2/64), 0.7 dB: 64 over all
/// samples together, but no more than 4 for a sample and all its outputs, and at least 2 for each.
std::size_t probesFor(std::size_t samples, std::size_t outputs);

/// Those of `outputs` that every change can be followed to, in order, kMostEstimatedOutputs at
/// most; the first alone where no output is such: the ones to ask estimateErrors() for.
std::vector<ValueId> estimableOutputs(const Engine& engine, std::span<const ValueId> outputs,
                                      std::span<const LayerChange> changes);

/// All of them go back together, and each takes memory.
inline constexpr std::size_t kMostEstimatedOutputs = 8;

/// Predicts the SQNR at each output for each change by Gauss-Newton probes: with a vector ε of
/// random signs over an output's elements, g = Jᵀε at a layer's output and Δ the layer's own error
/// there, E[(gᵀΔ)²] = ‖JΔ‖²: the squared error that Δ makes at the output, as far as the network is
/// linear between them. Summed over samples, divided by Σy². An output of no more elements than
/// there are probes is asked element by element, without chance.
///
/// Δ comes from running the layer once on the float run's values, and what follows it as far as
/// bentPathBehind() says: it is met behind a logarithm, a square or a rectifier rather than before.
/// The passes back serve all changes at once. Bit-identical for any number of threads and any
/// memory budget. Throws Cancelled.
std::vector<EstimatedError> estimateErrors(const Engine& engine, std::span<const ValueId> outputs,
                                           std::span<const LayerChange> changes,
                                           SampleSource& samples, JobContext& job,
                                           const GradientEstimateSettings& settings = {});

}  // namespace quantscope

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
  std::optional<double> outputSqnrDb;  ///< at the output; +∞ where nothing of the error arrives
  std::optional<double> localSqnrDb;   ///< of the layer by itself; measured
  std::string whyNot;                  ///< why nothing was estimated; empty where it was
};

struct GradientEstimateSettings {
  std::size_t probes = 0;  ///< backward passes per sample; 0 = as probesFor() says
  std::uint64_t seed = 0;
};

/// Enough probes for a relative error of the power of √(2/64), 0.7 dB: 64 over all samples
/// together, but at least 2 and at most 4 for each.
std::size_t probesFor(std::size_t samples);

/// Predicts the SQNR at an output for each change by Gauss-Newton probes: with a vector ε of random
/// signs over the output's elements, g = Jᵀε at a layer's output and Δ the layer's own error there,
/// E[(gᵀΔ)²] = ‖JΔ‖²: the squared error that Δ makes at the output, as far as the network is linear
/// between them. Summed over samples, divided by Σy². An output of no more elements than there are
/// probes is asked element by element, without chance.
///
/// Δ comes from running the layer once on the float run's values, and what follows it as far as
/// bentPathBehind() says: it is met behind a logarithm, a square or a rectifier rather than before.
/// The passes back serve all changes at once. Bit-identical for any number of threads and any
/// memory budget. Throws Cancelled.
std::vector<EstimatedError> estimateErrors(const Engine& engine, ValueId output,
                                           std::span<const LayerChange> changes,
                                           SampleSource& samples, JobContext& job,
                                           const GradientEstimateSettings& settings = {});

}  // namespace quantscope

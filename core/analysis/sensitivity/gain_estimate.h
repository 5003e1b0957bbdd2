#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What gradients say that a change of a quantized network does to the error at one output.
struct GainEstimate {
  double gainDb = 0;   ///< more SQNR than now
  double errorDb = 0;  ///< standard error of gainDb, over feeds and probes
  double moved = 0;    ///< ‖d‖² / ‖e‖², d and e as below
};

/// Predicts, by change, how the SQNR at `output` changes with it. With e the error of the quantized
/// network at the output, Δ what the change does at the nodes that it touches, on the values that
/// they are given now, J the Jacobian from there to the output in the float network, and d = J·Δ
/// summed over these nodes, the error becomes e + d:
///
/// gain = −10·log₁₀(1 + (2⟨e, d⟩ + ‖d‖²) / ‖e‖²)
///
/// ⟨e, d⟩ = ⟨Jᵀe, Δ⟩ comes from one pass back, ‖d‖² from kGainProbes passes back with random signs
/// as in estimateErrors(); all changes share them. That later roundings fall otherwise, by chance,
/// is not in it. Nothing for changes inside of sub-graphs or without a gradient, where the output
/// has no error, and where a figure is not finite.
///
/// `samples`: two feeds or more. Bit-identical for any number of threads and whatever the memory
/// holds. Throws Cancelled.
std::vector<std::optional<GainEstimate>> estimateGains(const Engine& engine,
                                                       const QuantizedModel& base, ValueId output,
                                                       std::span<const QuantizationChanges> changes,
                                                       SampleSet& samples, AnalysisMemory& memory,
                                                       JobContext& job);

inline constexpr std::size_t kGainProbes = 2;

}  // namespace quantscope

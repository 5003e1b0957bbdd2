#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analysis/sensitivity/sensitivity.h"

namespace quantscope {

/// The probes of an output and sample that estimated rows were had with.
std::size_t probesBehind(std::span<const SensitivityRow> estimated,
                         const GradientEstimateSettings& settings, std::size_t samples);

/// The agreement of estimated rows with measured ones.
struct EstimateQuality {
  std::size_t rows = 0;            ///< rows known of both
  std::optional<double> spearman;  ///< of the SQNR of the worst output, −1 … 1
  /// Median of |estimated − measured| over the rows where both are finite, in dB.
  std::optional<double> medianErrorDb;
};

/// Compares the rows of equal node and type by the worst of the outputs that were estimated.
EstimateQuality compareEstimates(std::span<const SensitivityRow> estimated,
                                 std::span<const SensitivityRow> measured);

}  // namespace quantscope

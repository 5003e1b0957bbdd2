#pragma once

#include "analysis/sensitivity/sensitivity.h"

namespace quantscope {

/// The items of a sensitivity analysis, most sensitive first, as far as few samples tell.
struct EarlyRanking {
  std::vector<std::size_t> places;  ///< of those asked for, in Sensitivity::items()
  /// By place in `places`: SQNR of the first output on these samples; nullopt if there is none.
  std::vector<std::optional<double>> sqnrDb;
  std::size_t samples = 0;  ///< number of samples that all items were measured on
};

/// Ranks items by their error at the first float output on a few samples, then those near the place
/// `top`, where the order decides what is among the first, on more of them. The measurements are a
/// part of the whole analysis, which later finds them in the memory. Bit-identical for any number
/// of threads. Throws Cancelled.
EarlyRanking rankEarly(Sensitivity& sensitivity, SampleSet& samples,
                       const std::vector<std::size_t>& items, std::size_t top = 10);

/// Rows that gradients predict on a part of the samples.
struct EarlyEstimates {
  std::vector<SensitivityRow> rows;  ///< by item
  std::size_t samples = 0;           ///< that all of them were estimated on
};

/// Estimates items from gradients, see Sensitivity::estimate(), on no more samples, spread evenly,
/// than it takes for all probes that probesFor() wants. Bit-identical for any number of threads.
/// Throws what estimate() throws.
EarlyEstimates estimateEarly(Sensitivity& sensitivity, SampleSet& samples,
                             std::span<const std::size_t> items);

}  // namespace quantscope

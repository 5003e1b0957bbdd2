#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The share of accuracy, or else of top-1 agreement, that is lost at the first output with class
/// scores; none where there is no such output.
std::optional<double> dropOf(const std::vector<OutputResult>& outputs);

/// True where a change costs more than one of a hundred samples its class: where the accuracy or
/// the top-1 agreement of the first output with class scores is lower by more than 0.01 than that
/// of the same output of `baseline`, the network before the change. None where no output has class
/// scores.
std::optional<bool> isSensitive(const std::vector<OutputResult>& outputs,
                                const std::vector<OutputResult>& baseline);

/// A sample, and the SQNR of an output for it.
struct SampleError {
  std::size_t sample = 0;
  double sqnrDb = 0;
};

/// The `count` samples that an output is worst for, the worst first; fewer where there are fewer.
std::vector<SampleError> worstSamples(const OutputResult& output, std::size_t count);

}  // namespace quantscope

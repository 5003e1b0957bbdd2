#include "analysis/errors/class_drop.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

constexpr double kSensitiveDrop = 0.01;
// A hundredth of a hundred samples is not exactly 0.01.
constexpr double kRoundingOfShares = 1e-9;

std::optional<bool> dropsMuch(const std::optional<double>& before,
                              const std::optional<double>& after) {
  if (!before || !after) return std::nullopt;
  return *before - *after > kSensitiveDrop + kRoundingOfShares;
}

}  // namespace

std::optional<double> dropOf(const std::vector<OutputResult>& outputs) {
  for (const OutputResult& output : outputs) {
    if (output.accuracyFloat && output.accuracyQuantized) {
      return *output.accuracyFloat - *output.accuracyQuantized;
    }
    if (output.top1Agreement) return 1 - *output.top1Agreement;
  }
  return std::nullopt;
}

std::optional<bool> isSensitive(const std::vector<OutputResult>& outputs,
                                const std::vector<OutputResult>& baseline) {
  for (std::size_t i = 0; i < std::min(outputs.size(), baseline.size()); ++i) {
    const OutputResult& output = outputs[i];
    const OutputResult& before = baseline[i];
    const std::optional<bool> accuracy =
        dropsMuch(before.accuracyQuantized, output.accuracyQuantized);
    const std::optional<bool> agreement = dropsMuch(before.top1Agreement, output.top1Agreement);
    if (accuracy || agreement) return accuracy.value_or(false) || agreement.value_or(false);
  }
  return std::nullopt;
}

std::vector<SampleError> worstSamples(const OutputResult& output, std::size_t count) {
  std::vector<SampleError> samples;
  for (std::size_t i = 0; i < output.sampleSqnrDb.size(); ++i) {
    const double sqnrDb = output.sampleSqnrDb[i];
    if (!std::isnan(sqnrDb)) samples.push_back({i, sqnrDb});
  }
  std::ranges::stable_sort(samples, {}, &SampleError::sqnrDb);
  samples.resize(std::min(samples.size(), count));
  return samples;
}

}  // namespace quantscope

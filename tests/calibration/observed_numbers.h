#pragma once

#include <span>
#include <vector>

#include "calibration/observers/value_observer.h"

namespace quantscope::test {

/// The observation of the numbers by an observer without channels.
inline Observation observed(std::span<const float> numbers) {
  ValueObserver observer(-1);
  observer.fold(observer.observe(numbers, {static_cast<std::int64_t>(numbers.size())}));
  return observer.finish();
}

/// The observation of samples, one after the other.
inline Observation observed(const std::vector<Tensor>& samples, int channelAxis,
                            const ObservationSettings& settings = {}) {
  ValueObserver observer(channelAxis, settings);
  for (const Tensor& sample : samples) observer.fold(observer.observe(sample));
  return observer.finish();
}

}  // namespace quantscope::test

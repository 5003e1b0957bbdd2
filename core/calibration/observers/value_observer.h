#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "calibration/observers/batch_statistics.h"
#include "calibration/observers/observation.h"
#include "calibration/observers/sample_summary.h"
#include "kernels/channel_layout.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The settings of observation, fixed before the first sample.
struct ObservationSettings {
  /// Samples per batch, ≥ 1, for the statistics that are defined per batch.
  std::size_t batch = 1;
  /// The constants of the moving averages to keep.
  std::vector<double> averagingConstants{0.01};
  /// True to keep histograms of every channel, for ranges per channel by observers other than
  /// MinMax and MovingAverage. About 10 KiB per channel of every value.
  bool channelHistograms = false;
  /// The quantile of the ModelReport statistics, in (0, 1).
  double referenceQuantile = 0.975;
  /// An axis ≥ 0 to keep them along too, for detectors that know no other, where a value's channels
  /// have another axis or none.
  std::optional<int> reportAxis = std::nullopt;

  friend bool operator==(const ObservationSettings&, const ObservationSettings&) = default;
};

/// Fills the observation of one float value while samples run in parallel.
///
/// Statistics that do not depend on the order of samples are merged at once, under a mutex. The
/// others are returned as a summary of the sample, to be folded in the order of samples. So the
/// result has the same bits for any number of threads and any order of completion, and memory does
/// not grow with the number of samples.
class ValueObserver {
 public:
  /// `channelAxis` −1 = none.
  explicit ValueObserver(int channelAxis, const ObservationSettings& settings = {});

  /// Whether samples may be channels-last, which takes less time: where all channels to observe lie
  /// on axis 1.
  bool takesChannelsLast() const;

  /// Takes one sample in. From any thread. A tensor of a half type is observed as float32.
  /// Throws UnsupportedType for a tensor that is not float, InvalidParameters for a layout that is
  /// not taken.
  SampleSummary observe(const Tensor& sample);
  /// The same for float32 elements, as many as `shape` has. `rectified`: for elements max(x, 0) of
  /// a value x, the sample's summary of x. The log-linear histogram then stays empty, in all
  /// samples alike, because it follows from that of x.
  SampleSummary observe(std::span<const float> elements, const Shape& shape,
                        Layout layout = Layout::Plain, const SampleSummary* rectified = nullptr);

  /// Takes the summaries in, each once, in the order of samples. From any thread, one at a time.
  /// A sample that the value was not computed for still takes its place in a batch: fold {}.
  void fold(const SampleSummary& summary);

  /// Everything observed and folded. Leaves the observer empty.
  Observation finish();

 private:
  SampleSummary summarize(std::span<const float> elements, const Shape& shape, Layout layout,
                          const SampleSummary* rectified) const;
  int mergeRange(const SampleSummary& summary);
  void countChannels(std::span<const float> elements, const ChannelLayout& layout,
                     std::span<const MinMax> ranges);
  void countOverflows(std::span<const float> elements, const MinMax& range);

  const int m_channelAxis;
  const ObservationSettings m_settings;

  std::mutex m_mutex;  // guards all that follows
  std::size_t m_samples = 0;
  MinMax m_range;
  std::size_t m_count = 0;
  std::size_t m_float16Overflows = 0;
  std::size_t m_bfloat16Overflows = 0;
  ChannelHistograms m_channels;
  LinearHistogram m_linear;
  LogLinearHistogram m_logLinear;
  BatchStatistics m_batches;
};

}  // namespace quantscope

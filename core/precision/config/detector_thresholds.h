#pragma once

namespace quantscope {

/// The thresholds of the detectors. The defaults are those of PyTorch's ModelReport.
struct DetectorThresholds {
  /// Equalization: a channel counts where this ≤ s_c ≤ 1 / this. In (0, 1).
  double equalizationRatio = 0.5;
  /// Outliers: a channel's mean ratio of maximum to reference quantile, beyond which it is one. >
  /// 0.
  double outlierRatio = 3.5;
  /// Outliers: the reference quantile, in [0, 1].
  double referencePercentile = 0.975;
  /// Dynamic or static: a mean batch range up to this share of the whole range is non-stationary.
  /// In [0, 1].
  double dynamicTolerance = 0.5;
  /// Outliers: the share of batches that must have counted, in [0, 1].
  double batchesUsed = 0.95;
  /// The axis of channels in PyTorch's mode, ≥ 0; ours knows the axis of each value.
  int channelAxis = 1;

  friend bool operator==(const DetectorThresholds&, const DetectorThresholds&) = default;
};

}  // namespace quantscope

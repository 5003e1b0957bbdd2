#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace quantscope {

/// Per-channel quantization of a layer's weights.
struct PerChannelStatistics {
  bool supported = false;  ///< the backend can
  bool used = false;       ///< the configuration does
};

/// S = mean batch range / epoch range before and after a layer; NaN where it is not defined.
struct DynamicStaticStatistics {
  double inputS = 0;
  double outputS = 0;
  bool dynamicRecommended = false;
};

/// s_c = √(w_c / W) / √(i_c / I) by input channel; w, i are ranges of weight and input channels,
/// W, I those of the whole tensors.
struct EqualizationStatistics {
  std::vector<double> s;
  std::vector<bool> recommended;  ///< by channel
  bool layerRecommended = false;
};

/// p_r = mean over batches of q100 / q_ref of a layer's input, by channel.
struct OutlierStatistics {
  std::vector<double> ratio;  ///< may be infinite
  std::vector<bool> outlier;
  std::vector<bool> sufficientBatches;       ///< enough batches counted for the verdict to hold
  std::vector<std::size_t> batchesUsed;      ///< number of batches whose q_ref was not 0
  std::vector<std::size_t> constantBatches;  ///< number of batches whose elements were all equal
};

/// The numbers behind the findings, by node in execution order; a layer without data is left out.
struct DetectorStatistics {
  template <class Of>
  using ByNode = std::vector<std::pair<std::string, Of>>;

  ByNode<PerChannelStatistics> perChannel;
  ByNode<DynamicStaticStatistics> dynamicStatic;
  ByNode<EqualizationStatistics> equalization;
  ByNode<OutlierStatistics> outlier;
};

}  // namespace quantscope

#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "analysis/analysis_result.h"
#include "analysis/error_maps.h"

namespace quantscope {

/// The layer and the maps of a request.
struct LayerMapRequest {
  std::size_t layer = 0;  ///< in the result
  MapKind kind = MapKind::Accumulated;
  /// The place of the pixel map; −1 = the worst there is.
  int channel = -1;
  int sample = -1;

  friend bool operator==(const LayerMapRequest&, const LayerMapRequest&) = default;
};

/// The maps of one layer's error.
struct LayerMaps {
  std::shared_ptr<const AnalysisResult> of;
  LayerMapRequest asked;
  ChannelMap channels;
  int channel = -1;  ///< of `pixels`; −1 = no figure anywhere
  int sample = -1;
  std::optional<PixelMap> pixels;
};

using LayerMapsPtr = std::shared_ptr<const LayerMaps>;

}  // namespace quantscope

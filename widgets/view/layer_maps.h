#pragma once

#include <QString>
#include <cstddef>
#include <memory>
#include <optional>

#include "analysis/analysis_result.h"
#include "analysis/errors/error_maps.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// The layer and the maps of a request.
struct LayerMapRequest {
  std::size_t layer = 0;  ///< in the result
  MapKind kind = MapKind::Accumulated;
  /// The place of the pixel map; −1 = the worst there is.
  int channel = -1;
  int sample = -1;
  /// The result under B, where differences are to be shown; null = none.
  std::shared_ptr<const AnalysisResult> against = nullptr;

  friend bool operator==(const LayerMapRequest&, const LayerMapRequest&) = default;
};

/// The maps of one layer's error under one configuration.
struct ErrorMaps {
  ChannelMap channels;
  std::optional<PixelMap> pixels;  ///< of the place that is shown
};

/// The maps of one layer's error.
struct LayerMaps {
  std::shared_ptr<const AnalysisResult> of;
  LayerMapRequest asked;
  ErrorMaps own;
  ErrorMaps other;   ///< under B; empty where B does not have the layer, or was not asked for
  int channel = -1;  ///< the place of the pixel maps; −1 = no figure anywhere
  int sample = -1;
  QString failure = {};  ///< why nothing could be measured; empty where it was

  bool differences() const { return asked.against != nullptr; }
  /// SQNR of a channel on a sample, or the difference A − B.
  Figure figureAt(std::size_t atChannel, std::size_t atSample) const;
};

using LayerMapsPtr = std::shared_ptr<const LayerMaps>;

}  // namespace quantscope

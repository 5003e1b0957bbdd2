#pragma once

#include <QImage>
#include <QString>
#include <vector>

#include "calibration/sample_source.h"
#include "graph/graph.h"

namespace quantscope {

/// One input of one sample as something to look at.
struct InputPreview {
  QString name;
  QString type;     ///< "float32"
  QString shape;    ///< "[1, 3, 224, 224]"
  QImage picture;   ///< null where the input does not look like a picture
  QString numbers;  ///< the first ones, as text
  double min = 0;   ///< over the sample's elements
  double max = 0;
  double mean = 0;
};

/// The inputs of sample `index` of a feed (below its `samples`), in the feed's order. An input with
/// one or three channels and at least 8 × 8 pixels ([N, C, H, W] or [N, H, W, C]) is a picture: its
/// values are stretched from smallest to largest, as preprocessing is not known here.
std::vector<InputPreview> previewSample(const Feed& feed, std::size_t index, const Graph& graph);

}  // namespace quantscope

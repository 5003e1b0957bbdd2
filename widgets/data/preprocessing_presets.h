#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "calibration/images/preprocessing.h"
#include "graph/graph.h"

namespace quantscope {

/// The format of pictures that a model's input takes.
struct PictureInput {
  PictureSize size;  ///< 224 × 224 where the model takes any
  Preprocessing::Order order = Preprocessing::Order::Nchw;
  bool gray = false;     ///< one channel
  bool integer = false;  ///< takes codes as whole numbers
  enum class Maker { Unknown, TensorFlow, Caffe };
  Maker maker = Maker::Unknown;  ///< as far as the file says where it was converted from
};

/// Read from the shape of a model's only input: [N, C, H, W], [N, H, W, C] or without N, C = 1 or
/// 3. nullopt if it takes no pictures.
std::optional<PictureInput> pictureInput(const Graph& graph);

/// A usual way to prepare pictures, by name.
struct PreprocessingPreset {
  QString name;
  QString explanation;
  Preprocessing preprocessing;
};

/// The ones that suit an input, the proposed one first. The input's shape gives size, layout and
/// the number of channels, but not the range: the proposal is usual for the model's origin.
/// TensorFlow's put channels last.
std::vector<PreprocessingPreset> presetsFor(const PictureInput& input);

}  // namespace quantscope

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

bool takesNearest(const Graph&, const Node& node) {
  return node.text("mode", "nearest") == "nearest";
}

// What lies outside of a cropped region is a number of its own.
bool weighsElements(const Graph&, const Node& node) {
  return node.text("coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

}  // namespace

std::vector<NamedTraits> resamplingTraits() {
  const OperatorTraits resizes{.channels = ChannelFlow::Carried,
                               .movesData = takesNearest,
                               .positivelyHomogeneous = weighsElements};
  return {{"Resize", resizes},
          {"Upsample", resizes},
          {"CenterCropPad", {.channels = ChannelFlow::Carried}},
          {"MaxRoiPool", {.channels = ChannelFlow::SecondAxis}},
          {"RoiAlign", {.channels = ChannelFlow::SecondAxis}}};
}

}  // namespace quantscope

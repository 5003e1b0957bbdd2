#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// What lies outside of a cropped region is a number of its own.
bool crops(const Node& node) {
  return node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize";
}

bool takesNearest(const Graph&, const Node& node) {
  const bool addsOthers = crops(node) && node.real("extrapolation_value", 0) != 0;
  return node.text("mode", "nearest") == "nearest" && !addsOthers;
}

bool weighsElements(const Graph&, const Node& node) {
  return !crops(node);
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

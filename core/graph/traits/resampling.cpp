#include "graph/operator_traits.h"

namespace quantscope {
namespace {

bool takesNearest(const Graph&, const Node& node) {
  return node.text("mode", "nearest") == "nearest";
}

}  // namespace

std::vector<NamedTraits> resamplingTraits() {
  const OperatorTraits resizes{.channels = ChannelFlow::Carried, .movesData = takesNearest};
  return {{"Resize", resizes},
          {"Upsample", resizes},
          {"CenterCropPad", {.channels = ChannelFlow::Carried}},
          {"MaxRoiPool", {.channels = ChannelFlow::SecondAxis}},
          {"RoiAlign", {.channels = ChannelFlow::SecondAxis}}};
}

}  // namespace quantscope

#include "graph/operator_traits.h"
#include "graph/traits/conditions.h"

namespace quantscope {
namespace {

// Zero is on every grid; any other constant might not be.
bool padsWithZero(const Graph& graph, const Node& node) {
  if (node.text("mode", "constant") != "constant") return true;
  if (node.version < 11) return node.real("value", 0) == 0;
  if (node.inputs.size() < 3 || !node.inputs[2].valid()) return true;
  const Tensor* value = graph.constant(node.inputs[2]);
  return value != nullptr && value->type() == ElementType::Float32 && value->elementCount() == 1 &&
         value->values<float>()[0] == 0;
}

}  // namespace

std::vector<NamedTraits> dataMoverTraits() {
  const OperatorTraits moves{.movesData = always};
  const OperatorTraits movesHalf{.movesData = always, .movesHalfTypes = true};
  OperatorTraits reshapes = movesHalf;
  reshapes.reshapes = true;
  reshapes.keepsShifts = true;
  const OperatorTraits carries{.channels = ChannelFlow::Carried, .movesData = always};
  OperatorTraits carriesHalf = carries;
  carriesHalf.movesHalfTypes = true;
  OperatorTraits identity = carriesHalf;
  identity.keepsValues = true;
  identity.keepsShifts = true;
  OperatorTraits dropout = carries;
  dropout.keepsValues = true;
  dropout.keepsShifts = true;
  OperatorTraits gather = movesHalf;
  gather.weightUse = WeightUse::Rows;
  gather.weightSlots = {0};
  return {{"Identity", identity},
          {"Dropout", dropout},
          {"Reshape", reshapes},
          {"Flatten", reshapes},
          {"Squeeze", reshapes},
          {"Unsqueeze", reshapes},
          {"Transpose",
           {.channels = ChannelFlow::Permuted, .movesData = always, .movesHalfTypes = true}},
          {"Slice", carriesHalf},
          {"Split", carriesHalf},
          {"Expand", carries},
          {"Tile", moves},
          {"Pad", {.channels = ChannelFlow::Carried, .movesData = padsWithZero}},
          {"DepthToSpace", {.channels = ChannelFlow::SecondAxis, .movesData = always}},
          {"SpaceToDepth", {.channels = ChannelFlow::SecondAxis, .movesData = always}},
          {"Gather", gather},
          {"GatherElements", moves},
          {"GatherND", moves},
          {"ReverseSequence", moves},
          {"Concat",
           {.channels = ChannelFlow::Carried,
            .dataInputs = OperatorTraits::kAllInputs,
            .combination = Combination::Concatenation,
            .movesHalfTypes = true,
            .positivelyHomogeneous = always}},
          {"Shape", {.movesHalfTypes = true, .readsShapeOnly = true}},
          {"Size", {.readsShapeOnly = true}}};
}

}  // namespace quantscope

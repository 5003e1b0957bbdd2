#include "graph/operator_traits.h"
#include "graph/traits/conditions.h"

namespace quantscope {

std::vector<NamedTraits> poolingTraits() {
  const OperatorTraits average{.channels = ChannelFlow::SecondAxis,
                               .positivelyHomogeneous = always};
  OperatorTraits maximum = average;
  maximum.movesData = always;
  maximum.keepsShifts = true;
  OperatorTraits global = average;
  global.keepsShifts = true;
  return {{"MaxPool", maximum},          {"GlobalMaxPool", maximum}, {"AveragePool", average},
          {"GlobalAveragePool", global}, {"LpPool", average},        {"GlobalLpPool", average}};
}

}  // namespace quantscope

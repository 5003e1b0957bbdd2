#include "widgets/view/layer_maps.h"

#include <cmath>

namespace quantscope {
namespace {

Figure figureOf(const ChannelMap& map, std::size_t channel, std::size_t sample) {
  if (channel >= map.channels || sample >= map.samples) return {};
  const double sqnr = map.at(channel, sample);
  return std::isnan(sqnr) ? Figure{} : Figure{Figure::Kind::Value, sqnr};
}

}  // namespace

Figure LayerMaps::figureAt(std::size_t atChannel, std::size_t atSample) const {
  const Figure figure = figureOf(own.channels, atChannel, atSample);
  return differences() ? differenceOf(figure, figureOf(other.channels, atChannel, atSample))
                       : figure;
}

}  // namespace quantscope

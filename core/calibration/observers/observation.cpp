#include "calibration/observers/observation.h"

namespace quantscope {
namespace {

template <class Element>
std::size_t bytesOf(const std::vector<Element>& vector) {
  return vector.capacity() * sizeof(Element);
}

}  // namespace

std::size_t Observation::bytes() const {
  std::size_t bytes = sizeof(Observation) + bytesOf(channels) + bytesOf(channelHistograms) +
                      bytesOf(movingAverages) + bytesOf(batchRanges) + bytesOf(modelReports) +
                      linear.bytes() + logLinear.bytes();
  for (const ChannelHistogram& channel : channelHistograms) {
    bytes += channel.linear.bytes() + channel.logLinear.bytes();
  }
  for (const MovingAverageRange& moving : movingAverages) bytes += bytesOf(moving.channels);
  for (const ModelReport& report : modelReports) bytes += bytesOf(report.channels);
  return bytes;
}

const ModelReport* Observation::modelReport(int axis) const {
  const auto found =
      std::find_if(modelReports.begin(), modelReports.end(),
                   [axis](const ModelReport& report) { return report.axis == axis; });
  return found == modelReports.end() ? nullptr : &*found;
}

}  // namespace quantscope

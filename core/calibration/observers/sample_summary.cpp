#include "calibration/observers/sample_summary.h"

namespace quantscope {

void SampleSummary::merge(const SampleSummary& other) {
  moments.add(other.moments);
  range.merge(other.range);
  channels.merge(other.channels);
  reportChannels.merge(other.reportChannels);
}

}  // namespace quantscope

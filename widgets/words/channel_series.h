#pragma once

#include <optional>
#include <string>
#include <vector>

#include "widgets/words/range_rows.h"

namespace quantscope {

/// The ranges of a tensor's channels, beside their grids.
struct ChannelSeries {
  std::vector<Range> channels;  ///< a channel without a finite element is empty
  std::vector<Range> grids;     ///< none, one for all, or one per channel
  std::optional<QuantParams> params;
  std::string missing;  ///< why there are no channels to show, as a sentence

  /// The grid of a channel; nullptr if there is none.
  const Range* gridOf(std::size_t channel) const;
};

/// The series of an observed value.
ChannelSeries outputSeries(const RangeRow& row);
/// The series of a layer's weights as they are quantized: batch normalization folded in. Channels
/// are those of the scales, or else the output channels.
ChannelSeries weightSeries(const AnalysisSnapshot& snapshot, std::size_t layer);

/// Largest absolute value of a channel; 0 where it is empty.
double reach(const Range& channel);
/// Channels from the farthest reaching to the least, equal ones by index.
std::vector<std::size_t> channelsBySize(const ChannelSeries& series);
/// The channels that set the range of the whole tensor: one where only one end counts (symmetric
/// grids, values of one sign), else those at both ends.
std::vector<std::size_t> dominatingChannels(const ChannelSeries& series);
/// The channels that set the range, the reach of the others, and the cost of that.
std::string dominanceWords(const ChannelSeries& series);

}  // namespace quantscope

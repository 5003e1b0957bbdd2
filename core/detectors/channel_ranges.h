#pragma once

#include <cstdint>
#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// With fewer samples than it takes to be sure, that a channel is dead is no more than likely.
inline constexpr double kDoubtOfDeath = 0.6;
/// True with so many samples that a channel without a change in them is dead for others, too.
bool enoughSamples(const DetectorInput& input);

/// By channel: its range reaches less than a negligible share as far as the widest one.
std::vector<bool> negligible(const std::vector<Range>& channels);

/// By channel of a value: it was the same at every place of every calibration sample, of which
/// there were enough elements to say so. Empty where the value has no channels.
std::vector<bool> constantChannels(const DetectorInput& input, ValueId value);

/// True where some of a value's `all` channels make its range at least twice as wide as the other
/// channels' is. `channels`: ascending.
bool widenTheRange(const DetectorInput& input, ValueId value,
                   const std::vector<std::int64_t>& channels, std::size_t all);

}  // namespace quantscope

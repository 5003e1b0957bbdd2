#pragma once

#include <cstdint>
#include <span>

namespace quantscope {

/// The bin of a finite x among bins of width 2^widthExponent, aligned at 0: floor(x / width).
/// A denormal counts as 0. widthExponent in [−126, 118], so that width and 1 / width are normal.
std::int32_t linearBin(float x, int widthExponent);

/// counts[linearBin(x) − firstBin] += 1 for each finite x; one that would fall outside counts in
/// the nearest bin. NaN and ±Inf are skipped. The same in every mode of the floating-point unit.
/// `firstBin` and firstBin + counts.size() lie within ±2^24; there are from 1 to 2^23 − 1 counts. A
/// count wraps at 2^32.
void addToLinearBins(std::span<const float> in, int widthExponent, std::int32_t firstBin,
                     std::span<std::uint32_t> counts);

/// counts[bin of x] += 1 for each x but NaN, with counts.size() bins of the same width between
/// `low` and `high`: floor((x − low) · (counts.size() / (high − low))) in float; elements outside,
/// ±Inf too, count in the nearest bin. There are from 1 to 2^23 − 1 counts. A count wraps at 2^32.
void addToRangeBins(std::span<const float> in, float low, float high,
                    std::span<std::uint32_t> counts);

}  // namespace quantscope

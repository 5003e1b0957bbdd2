#include "kernels/log_linear_bins.h"

#include <algorithm>
#include <vector>

namespace quantscope {
namespace {

// Neighbours often share a bin, and a counter that was just stored is slow to load again.
constexpr std::size_t kTables = 2;

// Bounds the 32-bit counters.
constexpr std::size_t kPiece = std::size_t{1} << 30;

constexpr std::size_t kSignBit = kLogLinearBins / 2;
constexpr std::size_t kInfinityBin = 0xFF * kLogLinearBlock;

std::size_t upperBits(float x) {
  return std::bit_cast<std::uint32_t>(x) >> 18;
}

float fromUpperBits(std::size_t bin) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bin << 18));
}

void countPiece(std::span<const float> in, std::vector<std::uint32_t>& tables) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    ++tables[i % kTables * kLogLinearBins + upperBits(in[i])];
  }
}

// The bins of denormals belong to bin 0, those of infinities and NaNs to nobody.
void addTable(std::span<const std::uint32_t> table,
              std::span<std::uint64_t, kLogLinearBins> counts) {
  for (const std::size_t sign : {std::size_t{0}, kSignBit}) {
    for (std::size_t bin = 0; bin < kLogLinearBlock; ++bin) counts[0] += table[sign + bin];
    for (std::size_t bin = kLogLinearBlock; bin < kInfinityBin; ++bin) {
      counts[sign + bin] += table[sign + bin];
    }
  }
}

}  // namespace

LogLinearBounds logLinearBounds(std::size_t bin) {
  if (bin == 0) return {};
  return {fromUpperBits(bin), fromUpperBits(bin + 1)};
}

void addToLogLinearBins(std::span<const float> in,
                        std::span<std::uint64_t, kLogLinearBins> counts) {
  for (std::size_t i = 0; i < in.size(); i += kPiece) {
    std::vector<std::uint32_t> tables(kTables * kLogLinearBins);
    countPiece(in.subspan(i, std::min(kPiece, in.size() - i)), tables);
    for (std::size_t t = 0; t < kTables; ++t) {
      addTable(std::span(tables).subspan(t * kLogLinearBins, kLogLinearBins), counts);
    }
  }
}

}  // namespace quantscope

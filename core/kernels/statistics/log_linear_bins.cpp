#include "kernels/statistics/log_linear_bins.h"

#include <vector>

namespace quantscope {
namespace {

// Neighbours often share a bin, and a counter that was just stored is slow to load again; but a
// second table must be worth its clearing.
constexpr std::size_t kTables = 2;
constexpr std::size_t kMany = 65536;

constexpr std::size_t kSignBit = kLogLinearBins / 2;
constexpr std::size_t kInfinityBin = 0xFF * kLogLinearBlock;

std::size_t upperBits(float x) {
  return std::bit_cast<std::uint32_t>(x) >> 18;
}

float fromUpperBits(std::size_t bin) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bin << 18));
}

template <std::size_t tableCount>
void countAll(std::span<const float> in, std::vector<std::uint32_t>& tables) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    ++tables[i % tableCount * kLogLinearBins + upperBits(in[i])];
  }
}

// Denormals count in bin 0; infinities and NaNs in no bin.
void addTable(std::span<const std::uint32_t> table,
              std::span<std::uint32_t, kLogLinearBins> counts) {
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
                        std::span<std::uint32_t, kLogLinearBins> counts) {
  const std::size_t tableCount = in.size() < kMany ? 1 : kTables;
  std::vector<std::uint32_t> tables(tableCount * kLogLinearBins);
  tableCount == 1 ? countAll<1>(in, tables) : countAll<kTables>(in, tables);
  for (std::size_t t = 0; t < tableCount; ++t) {
    addTable(std::span(tables).subspan(t * kLogLinearBins, kLogLinearBins), counts);
  }
}

}  // namespace quantscope

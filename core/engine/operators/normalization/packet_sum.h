#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace quantscope {

// Float sums in the order of Eigen's reductions with vectors of four, which ONNX Runtime uses: two
// vectors run over the elements in turn, are added up, then their halves, then what is left over.
// kernels/network/packet_columns.h does the same for the columns of a matrix.

inline constexpr std::size_t kPacket = 4;
inline constexpr std::size_t kPacketPair = 2 * kPacket;

/// Σ term(x[i]); the vectors begin at element `start`.
template <class Term>
float packetSum(std::span<const float> x, std::size_t start, const Term& term) {
  start = std::min(start, x.size());
  const std::size_t packets = start + (x.size() - start) / kPacket * kPacket;
  const std::size_t pairs = start + (x.size() - start) / kPacketPair * kPacketPair;
  std::array<float, kPacketPair> lanes{};
  for (std::size_t i = start; i < pairs; i += kPacketPair) {
    for (std::size_t lane = 0; lane < kPacketPair; ++lane) lanes[lane] += term(x[i + lane]);
  }
  for (std::size_t lane = 0; lane < kPacket; ++lane) {
    lanes[lane] += lanes[kPacket + lane];
    if (pairs < packets) lanes[lane] += term(x[pairs + lane]);
  }
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (std::size_t i = 0; i < start; ++i) sum += term(x[i]);
  for (std::size_t i = packets; i < x.size(); ++i) sum += term(x[i]);
  return sum;
}

}  // namespace quantscope

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace quantscope {

// Float sums in the order of Eigen's reductions with vectors of four, which ONNX Runtime uses: two
// vectors run over the elements in turn, are added up, then their halves, then what is left over.

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

/// The same for each column c of a matrix of rows × sums.size() elements, with term(x, c) and a
/// number of rows that fills whole vectors.
template <class Term>
void packetColumnSums(const float* x, std::size_t rows, const Term& term, std::span<float> sums) {
  const std::size_t columns = sums.size();
  const std::size_t pairs = rows / kPacketPair * kPacketPair;
  std::vector<float> lanes(kPacketPair * columns);
  for (std::size_t row = 0; row < pairs; ++row, x += columns) {
    float* lane = lanes.data() + row % kPacketPair * columns;
    for (std::size_t c = 0; c < columns; ++c) lane[c] += term(x[c], c);
  }
  for (std::size_t i = 0; i < kPacket * columns; ++i) lanes[i] += lanes[kPacket * columns + i];
  for (std::size_t row = 0; row < rows - pairs; ++row, x += columns) {
    for (std::size_t c = 0; c < columns; ++c) lanes[row * columns + c] += term(x[c], c);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    sums[c] = (lanes[c] + lanes[2 * columns + c]) + (lanes[columns + c] + lanes[3 * columns + c]);
  }
}

}  // namespace quantscope

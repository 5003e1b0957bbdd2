#include "kernels/network/packet_columns.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/packet_columns.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPacket = 4;
constexpr std::size_t kPair = 2 * kPacket;
// Rows that all columns go through together, so that memory is read from its beginning to its end.
constexpr std::size_t kRowsAtOnce = 64;

struct Plain {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* x, std::size_t /*column*/) const {
    return hn::LoadU(d, x);
  }
};

struct Square {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* x, std::size_t column) const {
    const auto difference = hn::Sub(hn::LoadU(d, x), hn::LoadU(d, means + column));
    return hn::Mul(difference, difference);
  }
  const float* means;
};

// Adds `rows` rows, a multiple of eight, to the sums [8, columns]: as many whole vectors from
// column c on as there are. Returns the first column left out.
template <class D, class Term>
std::size_t addRows(D d, const float* x, std::size_t rows, std::size_t columns, const Term& term,
                    std::size_t c, float* sums) {
  for (; c + hn::Lanes(d) <= columns; c += hn::Lanes(d)) {
    hn::Vec<D> lanes[kPair];
    for (std::size_t i = 0; i < kPair; ++i) lanes[i] = hn::LoadU(d, sums + i * columns + c);
    for (std::size_t row = 0; row < rows; row += kPair) {
      const float* from = x + row * columns + c;
      for (std::size_t i = 0; i < kPair; ++i) {
        lanes[i] = hn::Add(lanes[i], term(d, from + i * columns, c));
      }
    }
    for (std::size_t i = 0; i < kPair; ++i) hn::StoreU(lanes[i], d, sums + i * columns + c);
  }
  return c;
}

// The remaining work in each column, once all groups of eight are added.
template <class D, class Term>
std::size_t finish(D d, const float* rest, std::size_t restRows, std::size_t columns,
                   const Term& term, std::size_t c, const float* sums, float* y) {
  for (; c + hn::Lanes(d) <= columns; c += hn::Lanes(d)) {
    hn::Vec<D> lanes[kPacket];
    for (std::size_t i = 0; i < kPacket; ++i) {
      const float* lane = sums + i * columns + c;
      lanes[i] = hn::Add(hn::LoadU(d, lane), hn::LoadU(d, lane + kPacket * columns));
      if (i < restRows) lanes[i] = hn::Add(lanes[i], term(d, rest + i * columns + c, c));
    }
    hn::StoreU(hn::Add(hn::Add(lanes[0], lanes[2]), hn::Add(lanes[1], lanes[3])), d, y + c);
  }
  return c;
}

// step(d, c) handles the columns from c on that fill vectors of d and returns the first left out.
template <class Step>
void withEveryWidth(const Step& step) {
  std::size_t c = step(hn::ScalableTag<float>(), 0);
  c = step(hn::CappedTag<float, 4>(), c);
  step(hn::CappedTag<float, 1>(), c);
}

template <class Term>
void sumColumns(const float* x, std::size_t rows, const Term& term, std::span<float> y) {
  const std::size_t columns = y.size();
  std::vector<float> sums(kPair * columns);
  const std::size_t inPairs = rows / kPair * kPair;
  for (std::size_t row = 0; row < inPairs; row += kRowsAtOnce) {
    const std::size_t some = std::min(kRowsAtOnce, inPairs - row);
    withEveryWidth([&](auto d, std::size_t c) {
      return addRows(d, x + row * columns, some, columns, term, c, sums.data());
    });
  }
  withEveryWidth([&](auto d, std::size_t c) {
    return finish(d, x + inPairs * columns, rows - inPairs, columns, term, c, sums.data(),
                  y.data());
  });
}

void plainSums(const float* x, std::size_t rows, std::span<float> y) {
  sumColumns(x, rows, Plain(), y);
}
void squareSums(const float* x, std::size_t rows, const float* means, std::span<float> y) {
  sumColumns(x, rows, Square{means}, y);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(plainSums);
HWY_EXPORT(squareSums);

}  // namespace

void packetColumnSums(const float* x, std::size_t rows, std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(plainSums)(x, rows, sums);
}

void packetColumnSquares(const float* x, std::size_t rows, std::span<const float> means,
                         std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(squareSums)(x, rows, means.data(), sums);
}

}  // namespace quantscope
#endif

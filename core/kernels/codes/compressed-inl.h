// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_COMPRESSED) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_COMPRESSED
#undef QUANTSCOPE_KERNELS_COMPRESSED
#else
#define QUANTSCOPE_KERNELS_COMPRESSED
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2

constexpr std::size_t kCompressedLanes = 8;

using CompressedRow = std::array<std::uint8_t, kCompressedLanes>;

// By mask: the lanes that are set, in order.
constexpr std::array<CompressedRow, 256> compressedRows() {
  std::array<CompressedRow, 256> rows{};
  for (std::size_t mask = 0; mask < rows.size(); ++mask) {
    std::size_t set = 0;
    for (std::uint8_t lane = 0; lane < kCompressedLanes; ++lane) {
      if ((mask >> lane & 1) != 0) rows[mask][set++] = lane;
    }
  }
  return rows;
}

alignas(64) constexpr std::array<CompressedRow, 256> kCompressedRows = compressedRows();

/// The lanes that `which` selects, moved to the front; the rest is anything.
///
/// Highway 1.0.3 keeps its table for this target on the stack and copies it at each call.
template <class Vector, class Mask>
HWY_INLINE Vector compressed(Vector v, Mask which) {
  const hn::DFromV<Vector> d;
  std::uint8_t mask = 0;
  hn::StoreMaskBits(d, which, &mask);
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const auto lanes = hn::PromoteTo(hn::RebindToSigned<decltype(d)>(),
                                   hn::LoadU(bytes, kCompressedRows[mask].data()));
  return hn::TableLookupLanes(v, hn::IndicesFromVec(d, lanes));
}

#else

/// The lanes that `which` selects, moved to the front; the rest is anything.
template <class Vector, class Mask>
HWY_INLINE Vector compressed(Vector v, Mask which) {
  return hn::Compress(v, which);
}

#endif

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

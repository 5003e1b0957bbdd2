#include "kernels/codes/quantize_packed.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernels/codes/code_kernels.h"
#include "kernels/codes/packed_codes.h"
#include "kernels/group_walk.h"

namespace quantscope {
namespace {

// A multiple of 8, so that pieces end with a byte; its codes stay in the nearest cache.
constexpr std::size_t kPiece = 4096;

void requireStorage(const Codes& codes, std::size_t elements,
                    std::span<const std::uint8_t> stored) {
  if (!isQuantized(codes.type)) {
    throw Error(ErrorCode::InvalidParameters, "fp32 has no codes to store");
  }
  if (isInteger(codes.type) &&
      (codes.qmin < lowestCode(codes.type) || codes.qmax > highestCode(codes.type))) {
    throw Error(ErrorCode::InvalidParameters, "codes from " + std::to_string(codes.qmin) + " to " +
                                                  std::to_string(codes.qmax) + " are no " +
                                                  std::string(name(codes.type)));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(stored.data());
  if (bitWidth(codes.type) == 16 && address % 2 != 0) {
    throw Error(ErrorCode::InvalidParameters, "codes of 16 bits at an odd address");
  }
  if (stored.size() == storageSize(codes.type, elements)) return;
  throw Error(ErrorCode::InvalidParameters, std::to_string(elements) + " codes of " +
                                                std::string(name(codes.type)) + " do not take " +
                                                std::to_string(stored.size()) + " bytes");
}

std::size_t bytesPerCode(QuantType type) {
  return bitWidth(type) == 16 ? 2 : 1;
}

bool isPacked(QuantType type) {
  return bitWidth(type) < 8;
}

// Calls visit(first, count, grids) for pieces of the array with the grids of their elements.
template <class Visit>
void forEachChannelRun(const ChannelLayout& layout, const GridTable& table, const Visit& visit) {
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    visit(run * layout.inner, layout.inner,
          GridRuns{table, run % layout.channels, std::max<std::size_t>(layout.inner, 2)});
  }
}

template <class Visit>
void forEachRow(const ChannelLayout& layout, const GridTable& table, const Visit& visit) {
  const std::size_t width = layout.channels * layout.inner;
  for (std::size_t row = 0; row < layout.outer; ++row) visit(row * width, width, GridRuns{table});
}

template <class Visit>
void visitChannels(const ChannelLayout& layout, const Codes& codes, std::span<const Grid> grids,
                   const Visit& visit) {
  if (layout.elementCount() == 0) return;
  if (layout.inner < kShortRun) {
    forEachRow(layout, expandGrids(layout, grids, codes), visit);
  } else {
    forEachChannelRun(layout, tableOf(grids, codes), visit);
  }
}

template <class Visit>
void visitGroups(const ChannelLayout& layout, std::size_t groupSize, const Codes& codes,
                 std::span<const Grid> grids, const Visit& visit) {
  walkGroups(
      layout, groupSize, grids, codes,
      [&](std::size_t first, std::size_t count, const GridTable& table) {
        visit(first, count, GridRuns{table});
      },
      [&](std::size_t first, std::size_t count, const GridTable& table) {
        visit(first, count, GridRuns{table, 0, groupSize});
      });
}

// Codes below 8 bits take the way through an array of a byte each.
class Encoder {
 public:
  Encoder(std::span<const float> in, std::span<std::uint8_t> out, const Codes& codes)
      : m_in(in), m_out(out), m_codes(codes) {
    if (isPacked(codes.type)) m_unpacked.resize(in.size());
  }

  void operator()(std::size_t first, std::size_t count, const GridRuns& grids) {
    std::uint8_t* codes = isPacked(m_codes.type) ? m_unpacked.data() : m_out.data();
    m_nans += encode(m_codes.type, m_in.data() + first, codes + first * bytesPerCode(m_codes.type),
                     count, grids, m_codes.qmin);
  }

  std::size_t finish() {
    if (isPacked(m_codes.type)) packCodes(m_unpacked, bitWidth(m_codes.type), m_out);
    return m_nans;
  }

 private:
  std::span<const float> m_in;
  std::span<std::uint8_t> m_out;
  Codes m_codes;
  std::vector<std::uint8_t> m_unpacked;
  std::size_t m_nans = 0;
};

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> in, std::span<float> out, const Codes& codes)
      : m_in(in), m_out(out), m_codes(codes) {
    if (!isPacked(codes.type)) return;
    m_unpacked.resize(out.size());
    unpackCodes(in, bitWidth(codes.type), m_unpacked);
    m_in = m_unpacked;
  }

  void operator()(std::size_t first, std::size_t count, const GridRuns& grids) const {
    decode(m_codes.type, m_in.data() + first * bytesPerCode(m_codes.type), m_out.data() + first,
           count, grids, m_codes.qmin);
  }

 private:
  std::span<const std::uint8_t> m_in;
  std::span<float> m_out;
  Codes m_codes;
  std::vector<std::uint8_t> m_unpacked;
};

// One grid for all: in pieces whose codes never leave the cache.
GridRuns oneGrid(const GridTable& table) {
  return {table, 0, kPiece};
}

}  // namespace

std::size_t storageSize(QuantType type, std::size_t count) {
  return packedSize(count, bitWidth(type));
}

std::size_t quantizePacked(std::span<const float> in, std::span<std::uint8_t> out,
                           const Codes& codes, const Grid& grid) {
  requireStorage(codes, in.size(), out);
  const GridTable table = tableOf({&grid, 1}, codes);
  std::size_t nans = 0;
  for (std::size_t first = 0; first < in.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, in.size() - first);
    const std::size_t start = storageSize(codes.type, first);
    Encoder encoder(in.subspan(first, count), out.subspan(start, storageSize(codes.type, count)),
                    codes);
    encoder(0, count, oneGrid(table));
    nans += encoder.finish();
  }
  return nans;
}

std::size_t quantizePackedPerChannel(std::span<const float> in, std::span<std::uint8_t> out,
                                     ChannelLayout layout, const Codes& codes,
                                     std::span<const Grid> grids) {
  requireStorage(codes, in.size(), out);
  requireLayout(layout, in.size(), grids.size());
  Encoder encoder(in, out, codes);
  visitChannels(layout, codes, grids, [&](auto... piece) { encoder(piece...); });
  return encoder.finish();
}

std::size_t quantizePackedPerGroup(std::span<const float> in, std::span<std::uint8_t> out,
                                   ChannelLayout layout, std::size_t groupSize, const Codes& codes,
                                   std::span<const Grid> grids) {
  requireStorage(codes, in.size(), out);
  requireLayout(layout, in.size(), layout.channels);
  requireGroups(layout, groupSize, grids.size());
  Encoder encoder(in, out, codes);
  visitGroups(layout, groupSize, codes, grids, [&](auto... piece) { encoder(piece...); });
  return encoder.finish();
}

void dequantizePacked(std::span<const std::uint8_t> in, std::span<float> out, const Codes& codes,
                      const Grid& grid) {
  requireStorage(codes, out.size(), in);
  const GridTable table = tableOf({&grid, 1}, codes);
  for (std::size_t first = 0; first < out.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, out.size() - first);
    const std::size_t start = storageSize(codes.type, first);
    const Decoder decoder(in.subspan(start, storageSize(codes.type, count)),
                          out.subspan(first, count), codes);
    decoder(0, count, oneGrid(table));
  }
}

void dequantizePackedPerChannel(std::span<const std::uint8_t> in, std::span<float> out,
                                ChannelLayout layout, const Codes& codes,
                                std::span<const Grid> grids) {
  requireStorage(codes, out.size(), in);
  requireLayout(layout, out.size(), grids.size());
  visitChannels(layout, codes, grids, Decoder(in, out, codes));
}

void dequantizePackedPerGroup(std::span<const std::uint8_t> in, std::span<float> out,
                              ChannelLayout layout, std::size_t groupSize, const Codes& codes,
                              std::span<const Grid> grids) {
  requireStorage(codes, out.size(), in);
  requireLayout(layout, out.size(), layout.channels);
  requireGroups(layout, groupSize, grids.size());
  visitGroups(layout, groupSize, codes, grids, Decoder(in, out, codes));
}

}  // namespace quantscope

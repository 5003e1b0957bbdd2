#include "bench/fake_quantize_cases.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "bench/scalar_fake_quantize.h"
#include "kernels/codes/fake_quantize.h"

namespace quantscope {
namespace {

constexpr std::size_t kPieceBlocks = 4;

// Enough for a round of some milliseconds.
constexpr std::size_t kResidentRepeats = 64;

// One of this many elements is compared: a prime, so that all lanes, channels and tails are met.
constexpr std::size_t kCheckStep = 61;

// The elements that share a grid: all, those of a channel of [outer, channels, inner], or a group
// of neighbours.
struct Sharing {
  const char* name;
  std::size_t channels = 0;  // 0 = as many as there are: channels on the first axis
  std::size_t inner = 0;     // 0 = no channels
  std::size_t groupSize = 0;
};

constexpr Sharing kTensor{"per-tensor"};
constexpr Sharing kImages{"per-channel", 256, kKernelBlock / 256, 0};
constexpr Sharing kFirstAxis{"per-channel:0", 0, 4096, 0};
constexpr Sharing kLastAxis{"per-channel:last", 1024, 1, 0};
constexpr Sharing kGroups{"per-group:32", 4096, 1, 32};

struct Setup {
  std::string name;
  Codes codes;
  Sharing sharing;
  Grids grids;

  std::size_t gridOf(std::size_t element) const {
    if (sharing.inner == 0) return 0;
    if (sharing.groupSize > 0) return element / sharing.groupSize;
    return element / sharing.inner % grids.size();
  }

  // `first` is where the piece begins in the array.
  void run(std::span<const float> in, std::span<float> out, std::size_t first) const {
    const auto [label, allChannels, inner, groupSize] = sharing;
    if (inner == 0) return fakeQuantize(in, out, codes, grids.front());
    const std::size_t most = in.size() / inner;
    const std::size_t channels = allChannels == 0 ? most : std::min(allChannels, most);
    const ChannelLayout layout{most / channels, channels, inner};
    const auto own = std::span(grids).subspan(gridOf(first));
    if (groupSize == 0) {
      return fakeQuantizePerChannel(in, out, layout, codes, own.first(channels));
    }
    fakeQuantizePerGroup(in, out, layout, groupSize, codes, own.first(in.size() / groupSize));
  }
};

std::size_t gridCount(const Sharing& sharing, std::size_t elements) {
  if (sharing.inner == 0) return 1;
  if (sharing.groupSize > 0) return elements / sharing.groupSize;
  return sharing.channels == 0 ? elements / sharing.inner : sharing.channels;
}

// The numbers reach to ±4; the scales differ, and some clip.
Grids madeUpGrids(const Codes& codes, std::size_t count) {
  constexpr float kLargest = 4;
  Grid grid{1, 0, 0.75F};
  if (isInteger(codes.type)) {
    grid.zeroPoint = isSigned(codes.type) ? 0 : (codes.qmax + 1) / 2;
    grid.scale = kLargest / static_cast<float>(codes.qmax - grid.zeroPoint);
  } else if (hasScale(codes.type) && !isSignCode(codes.type)) {
    grid.scale = kLargest / largestNumber(codes.type);
  }
  Grids grids(count, grid);
  for (std::size_t i = 0; i < count; ++i) grids[i].scale *= 0.75F + static_cast<float>(i % 8) / 16;
  return grids;
}

void checkAnswer(const Setup& setup, const KernelArrays& arrays, std::size_t elements,
                 const Workers& workers) {
  workers.forEach((elements + kKernelBlock - 1) / kKernelBlock, [&](std::size_t block) {
    const std::size_t end = std::min(elements, (block + 1) * kKernelBlock);
    for (std::size_t i = block * kKernelBlock; i < end; i += kCheckStep) {
      const Grid& grid = setup.grids[setup.gridOf(i)];
      const float expected = scalarFakeQuantize(arrays.in[i], setup.codes, grid);
      if (std::bit_cast<std::uint32_t>(arrays.out[i]) == std::bit_cast<std::uint32_t>(expected)) {
        continue;
      }
      refuseKernelAnswer(setup.name, "element " + std::to_string(i) + " is " +
                                         std::to_string(arrays.out[i]) + " instead of " +
                                         std::to_string(expected));
    }
  });
}

// Counted in the definitions: see round_to_type-inl.h.
int operationsOf(QuantType type) {
  switch (type) {
    case QuantType::Float16:
      return 13;
    case QuantType::Float8E4M3:
    case QuantType::Float8E5M2:
      return 12;
    case QuantType::Binary:
      return 6;
    default:
      return 7;
  }
}

std::shared_ptr<const Setup> makeSetup(QuantType type, const Sharing& sharing,
                                       const std::string& suffix, std::size_t elements) {
  Setup setup;
  setup.name = "fake_quantize/" + std::string(name(type)) + "/" + sharing.name + suffix;
  setup.codes = Codes::of(type);
  setup.sharing = sharing;
  setup.grids = madeUpGrids(setup.codes, gridCount(sharing, elements));
  return std::make_shared<const Setup>(std::move(setup));
}

KernelCase streamed(QuantType type, const Sharing& sharing, const KernelArrays& arrays) {
  const std::size_t elements = arrays.in.size();
  const std::size_t piece = std::min(kPieceBlocks * kKernelBlock, elements);
  const auto setup = makeSetup(type, sharing, "", elements);
  KernelCase result;
  result.name = setup->name;
  result.limit = KernelLimit::Copy;
  result.elements = result.computed = elements;
  result.bytesPerElement = 2 * sizeof(float);
  result.pieces = (elements + piece - 1) / piece;
  result.run = [setup, arrays, piece, elements](std::size_t i) {
    const std::size_t first = i * piece;
    const std::size_t count = std::min(piece, elements - first);
    setup->run(arrays.in.subspan(first, count), arrays.out.subspan(first, count), first);
  };
  result.check = [setup, arrays, elements](const Workers& workers) {
    checkAnswer(*setup, arrays, elements, workers);
  };
  return result;
}

KernelCase resident(QuantType type, const Sharing& sharing, const KernelArrays& arrays,
                    std::size_t threads) {
  const std::size_t elements = residentElements();
  const std::size_t pieces = std::min(threads, arrays.in.size() / kKernelBlock);
  const auto setup = makeSetup(type, sharing, "/l2", elements);
  KernelCase result;
  result.name = setup->name;
  result.limit = KernelLimit::Arithmetic;
  result.elements = elements;
  result.computed = elements * pieces * kResidentRepeats;
  result.divisions = isInteger(type) || (isFloatFormat(type) && hasScale(type)) ? 1 : 0;
  result.operations = operationsOf(type);
  result.pieces = pieces;
  result.run = [setup, arrays, elements](std::size_t i) {
    const auto in = arrays.in.subspan(i * kKernelBlock, elements);
    const auto out = arrays.out.subspan(i * kKernelBlock, elements);
    for (std::size_t n = 0; n < kResidentRepeats; ++n) setup->run(in, out, 0);
  };
  result.check = [setup, arrays, elements](const Workers& workers) {
    checkAnswer(*setup, arrays, elements, workers);
  };
  return result;
}

}  // namespace

std::vector<KernelCase> fakeQuantizeCases(const KernelArrays& arrays, std::size_t threads) {
  struct Row {
    QuantType type;
    Sharing sharing;
  };
  std::vector<Row> rows;
  for (const QuantType type : {QuantType::Int8, QuantType::UInt8, QuantType::Int16, QuantType::Int4,
                               QuantType::Float8E4M3, QuantType::Float8E5M2, QuantType::Float16,
                               QuantType::BFloat16, QuantType::Ternary, QuantType::Binary}) {
    rows.push_back({type, kTensor});
  }
  rows.push_back({QuantType::Int8, kImages});
  rows.push_back({QuantType::Int8, kFirstAxis});
  rows.push_back({QuantType::Int8, kLastAxis});
  rows.push_back({QuantType::Float8E4M3, kImages});
  rows.push_back({QuantType::Int4, kGroups});
  std::vector<KernelCase> cases;
  for (const Row& row : rows) cases.push_back(streamed(row.type, row.sharing, arrays));
  for (const Row& row : rows) cases.push_back(resident(row.type, row.sharing, arrays, threads));
  return cases;
}

}  // namespace quantscope

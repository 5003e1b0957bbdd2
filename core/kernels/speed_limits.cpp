#include "kernels/speed_limits.h"

#include <algorithm>
#include <bit>

#include "kernels/channel_layout.h"
#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/speed_limits.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using IntTag = hn::RebindToSigned<Tag>;
using Vec = hn::Vec<Tag>;

// Independent chains, enough to hide the latency of an operation.
constexpr std::size_t kChains = 12;

void copyPastCaches(const float* in, float* out, std::size_t count) {
  const Tag d;
  const std::size_t misaligned =
      reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % hn::Lanes(d);
  std::size_t i = std::min(count, (hn::Lanes(d) - misaligned) % hn::Lanes(d));
  std::copy_n(in, i, out);
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hwy::Prefetch(in + i + kPrefetchAhead);
    hn::Stream(hn::LoadU(d, in + i), d, out + i);
  }
  std::copy_n(in + i, count - i, out + i);
  hwy::FlushStream();
}

std::uint32_t combineAll(const float* in, std::size_t count) {
  const IntTag d;
  const auto load = [&](std::size_t i)
                        HWY_ATTR { return hn::BitCast(d, hn::LoadU(Tag(), in + i)); };
  const std::size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    hwy::Prefetch(in + i + kPrefetchAhead);
    hwy::Prefetch(in + i + lanes + kPrefetchAhead);
    even = hn::Xor(even, load(i));
    odd = hn::Xor(odd, load(i + lanes));
  }
  HWY_ALIGN std::int32_t parts[hn::MaxLanes(d)];
  hn::Store(hn::Xor(even, odd), d, parts);
  std::uint32_t result = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    result ^= static_cast<std::uint32_t>(parts[lane]);
  for (; i < count; ++i) result ^= std::bit_cast<std::uint32_t>(in[i]);
  return result;
}

template <class Operation>
float repeat(std::size_t rounds, const Operation& operation) {
  const Tag d;
  Vec chains[kChains];
  for (std::size_t c = 0; c < kChains; ++c) chains[c] = hn::Iota(d, static_cast<float>(c + 1));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < kChains; ++c) chains[c] = operation(chains[c]);
  }
  Vec sum = chains[0];
  for (std::size_t c = 1; c < kChains; ++c) sum = hn::Add(sum, chains[c]);
  return hn::GetLane(sum);
}

float divide(std::size_t rounds, float divisor) {
  const Vec by = hn::Set(Tag(), divisor);
  return repeat(rounds, [&](Vec x) HWY_ATTR { return hn::Div(x, by); });
}

// Every second operation is a product, the others take the maximum.
float multiply(std::size_t rounds, float factor) {
  const Vec by = hn::Set(Tag(), factor);
  return repeat(rounds / 2, [&](Vec x) HWY_ATTR { return hn::Max(hn::Mul(x, by), by); });
}

float multiplyAdd(std::size_t rounds, float factor) {
  const Vec by = hn::Set(Tag(), factor);
  const Vec addend = hn::Set(Tag(), 1 - factor);
  return repeat(rounds, [&](Vec x) HWY_ATTR { return hn::MulAdd(x, by, addend); });
}

std::size_t floatsPerRound() {
  return kChains * hn::Lanes(Tag());
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(copyPastCaches);
HWY_EXPORT(combineAll);
HWY_EXPORT(divide);
HWY_EXPORT(multiply);
HWY_EXPORT(multiplyAdd);
HWY_EXPORT(floatsPerRound);

// Close to 1, so that no number grows, vanishes or becomes a denormal; the compiler must not know.
const volatile float nearlyOne = 1.0000001F;

}  // namespace

void streamingCopy(std::span<const float> in, std::span<float> out) {
  requireSameLength(in.size(), out.size());
  HWY_DYNAMIC_DISPATCH(copyPastCaches)(in.data(), out.data(), in.size());
}

std::uint32_t readThrough(std::span<const float> in) {
  return HWY_DYNAMIC_DISPATCH(combineAll)(in.data(), in.size());
}

std::size_t divideInRegisters(std::size_t rounds) {
  HWY_DYNAMIC_DISPATCH(divide)(rounds, nearlyOne);
  return rounds * HWY_DYNAMIC_DISPATCH(floatsPerRound)();
}

std::size_t multiplyAddInRegisters(std::size_t rounds) {
  HWY_DYNAMIC_DISPATCH(multiplyAdd)(rounds, nearlyOne);
  return 2 * rounds * HWY_DYNAMIC_DISPATCH(floatsPerRound)();
}

std::size_t operateInRegisters(std::size_t rounds) {
  HWY_DYNAMIC_DISPATCH(multiply)(rounds, nearlyOne);
  return rounds / 2 * 2 * HWY_DYNAMIC_DISPATCH(floatsPerRound)();
}

}  // namespace quantscope
#endif

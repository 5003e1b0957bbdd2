#include "kernels/kernel_fixture.h"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "hwy/highway.h"

namespace quantscope::test {
namespace {

constexpr unsigned kFlushDenormals = 0x8040;
constexpr std::size_t kWidestVector = 16;

void chooseTargets(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

float uniform(std::mt19937& random) {
  return static_cast<float>(random()) * 0x1p-31F - 1.0F;
}

}  // namespace

KernelMode::KernelMode(std::int64_t target, bool flushDenormals) : m_savedControl(_mm_getcsr()) {
  chooseTargets(target);
  if (flushDenormals) _mm_setcsr(m_savedControl | kFlushDenormals);
}

KernelMode::~KernelMode() {
  _mm_setcsr(m_savedControl);
  chooseTargets(0);
}

void addKernelModes() {
  QTest::addColumn<qint64>("target");
  QTest::addColumn<bool>("flush");
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const char* name = hwy::TargetName(target);
    QTest::addRow("%s", name) << static_cast<qint64>(target) << false;
    QTest::addRow("%s, denormals flushed", name) << static_cast<qint64>(target) << true;
  }
}

KernelMode kernelModeOfRow() {
  QFETCH(qint64, target);
  QFETCH(bool, flush);
  return {target, flush};
}

std::vector<std::size_t> kernelLengths() {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length <= 8 * kWidestVector; ++length) lengths.push_back(length);
  lengths.push_back(4099);
  return lengths;
}

OffsetArray::OffsetArray(std::span<const float> values, std::size_t offset)
    : m_storage(values.size() + offset + kWidestVector), m_count(values.size()) {
  const auto address = reinterpret_cast<std::uintptr_t>(m_storage.data()) / sizeof(float);
  m_first = (kWidestVector - address % kWidestVector) % kWidestVector + offset;
  std::copy(values.begin(), values.end(), span().begin());
}

std::vector<float> tameNumbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = uniform(random);
  return numbers;
}

std::vector<float> hostileNumbers(std::size_t count, float limit, unsigned seed) {
  const std::array special{Limits::quiet_NaN(),
                           -Limits::quiet_NaN(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           0.0F,
                           -0.0F,
                           Limits::denorm_min(),
                           -Limits::min() / 2,
                           Limits::max(),
                           Limits::lowest(),
                           0.5F,
                           -1.5F,
                           2.5F,
                           -127.5F};
  std::mt19937 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    const unsigned kind = random() % 32;
    if (kind == 0) {
      number = special[random() % special.size()];
    } else if (kind < 8) {
      number = std::ldexp(uniform(random), -static_cast<int>(random() % 140));
    } else {
      number = uniform(random) * limit;
    }
  }
  return numbers;
}

std::ptrdiff_t firstDifference(std::span<const float> a, std::span<const float> b) {
  const auto sameBits = [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  };
  const auto [inA, inB] = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), sameBits);
  return inA == a.end() && inB == b.end() ? -1 : inA - a.begin();
}

}  // namespace quantscope::test

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "kernels/kernel_fixture.h"
#include "kernels/statistics/tail_selection.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Tails {
  std::vector<float> upper;
  std::vector<float> lower;
};

Tails selected(std::span<const float> in, std::size_t length) {
  Tails tails{std::vector<float>(length), std::vector<float>(length)};
  TailSelection().select(in, tails.upper, tails.lower);
  return tails;
}

// Made by sorting all; each tail from the inside out.
Tails tailsBySorting(std::span<const float> in, std::size_t length) {
  std::vector<float> sorted;
  for (const float x : in) {
    if (std::isfinite(x)) sorted.push_back(std::bit_cast<std::uint32_t>(x) << 1 == 0 ? 0 : x);
  }
  std::sort(sorted.begin(), sorted.end());
  const std::size_t count = std::min(length, sorted.size());
  Tails tails{std::vector<float>(length, -kInfinity), std::vector<float>(length, kInfinity)};
  std::copy_n(sorted.end() - static_cast<std::ptrdiff_t>(count), count,
              tails.upper.end() - static_cast<std::ptrdiff_t>(count));
  std::copy_n(sorted.rend() - static_cast<std::ptrdiff_t>(count), count,
              tails.lower.end() - static_cast<std::ptrdiff_t>(count));
  return tails;
}

// Sorts behind the first, which has its place.
Tails sortedTails(Tails tails) {
  if (tails.upper.empty()) return tails;
  std::sort(tails.upper.begin() + 1, tails.upper.end());
  std::sort(tails.lower.begin() + 1, tails.lower.end(), std::greater());
  return tails;
}

bool sameTails(Tails found, const Tails& expected) {
  found = sortedTails(std::move(found));
  return firstDifference(found.upper, expected.upper) < 0 &&
         firstDifference(found.lower, expected.lower) < 0;
}

// A multiple of the 1,024 elements that bounds are guessed from: those are every 16th.
constexpr std::size_t kMany = 16384;
constexpr const char* kTailKinds[] = {
    "uniform",   "like a ReLU's", "sorted",     "sorted down",           "two of them",
    "all equal", "none finite",   "few finite", "sample of the largest", "sample of the middle"};

std::vector<float> many(const QString& kind) {
  std::vector<float> in = tameNumbers(kMany, 7);
  if (kind == "like a ReLU's") {
    for (float& x : in) x = std::max(x, 0.0F);
  } else if (kind == "sorted") {
    std::sort(in.begin(), in.end());
  } else if (kind == "sorted down") {
    std::sort(in.begin(), in.end(), std::greater());
  } else if (kind == "two of them") {
    for (float& x : in) x = x > 0.9F ? 1.0F : -0.0F;
  } else if (kind == "all equal") {
    std::fill(in.begin(), in.end(), -2.5F);
  } else if (kind == "none finite") {
    std::fill(in.begin(), in.end(), kInfinity);
  } else if (kind == "few finite") {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 999 == 5 ? in[i] : std::nanf("");
  } else if (kind == "sample of the largest") {
    for (std::size_t i = 0; i < in.size(); i += 16) in[i] += 1000;
  } else if (kind == "sample of the middle") {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] += i % 16 == 0 ? 0 : i % 2 ? 1000 : -1000;
  }
  return in;
}

}  // namespace

class TailSelectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsSorting_data() { addKernelModes(); }
  void equalsSorting();
  void longArrays_data() { addKernelModes(); }
  void longArrays();
  void fillsUpWhatIsMissing();
  void nothingAtAll();
  void scratchMemoryIsReused();
  void refusesTailsOfTwoLengths();
  void comparisonSeesOneElement();
};

void TailSelectionTest::equalsSorting() {
  for (const std::size_t length : kernelLengths()) {
    for (const auto& in : {hostileNumbers(length, 3.0F, 1), tameNumbers(length, 1)}) {
      for (const std::size_t tail : {0, 1, 2, 7, 16, 17, 40}) {
        const Tails expected = tailsBySorting(in, tail);
        for (const std::size_t offset : {0, 1, 3}) {
          OffsetArray source(in, offset);
          Tails found;
          {
            const KernelMode mode = kernelModeOfRow();
            found = selected(source.span(), tail);
          }
          QVERIFY2(sameTails(found, expected),
                   qPrintable(QString("%1 of %2").arg(tail).arg(length)));
        }
      }
    }
  }
}

void TailSelectionTest::longArrays() {
  for (const char* kind : kTailKinds) {
    const std::vector<float> in = many(kind);
    for (const std::size_t tail : {1, 16, 17, 501, 4000, 15000, 16384, 16385}) {
      const Tails expected = tailsBySorting(in, tail);
      const KernelMode mode = kernelModeOfRow();
      QVERIFY2(sameTails(selected(in, tail), expected),
               qPrintable(QString("%1 of %2").arg(tail).arg(kind)));
    }
  }
}

void TailSelectionTest::fillsUpWhatIsMissing() {
  const Tails tails = selected(std::vector<float>{2, std::nanf(""), -1}, 3);
  QVERIFY(sameTails(tails, {{-kInfinity, -1, 2}, {kInfinity, 2, -1}}));
}

void TailSelectionTest::nothingAtAll() {
  for (const std::size_t tail : {0, 1, 16, 17, 40}) {
    QVERIFY(sameTails(selected({}, tail), tailsBySorting({}, tail)));
  }
}

void TailSelectionTest::scratchMemoryIsReused() {
  TailSelection selection;
  for (const std::size_t length : {7000, 5000, 100, 2000, 1, 3000}) {
    std::vector<float> in = tameNumbers(length, 9);
    if (length == 5000) std::fill(in.begin() + 10, in.end(), kInfinity);
    Tails tails{std::vector<float>(1 + length / 40), std::vector<float>(1 + length / 40)};
    selection.select(in, tails.upper, tails.lower);
    QVERIFY(sameTails(tails, tailsBySorting(in, tails.upper.size())));
  }
}

void TailSelectionTest::refusesTailsOfTwoLengths() {
  std::vector<float> upper(2);
  std::vector<float> lower(3);
  QVERIFY_THROWS_EXCEPTION(Error, TailSelection().select(tameNumbers(9, 1), upper, lower));
}

// A kernel that loses one element of a tail fails.
void TailSelectionTest::comparisonSeesOneElement() {
  const std::vector<float> in = tameNumbers(5000, 1);
  Tails wrong = selected(in, 100);
  *std::max_element(wrong.upper.begin(), wrong.upper.end()) = wrong.upper[0];
  QVERIFY(!sameTails(wrong, tailsBySorting(in, 100)));
}

QUANTSCOPE_TEST(TailSelectionTest)
#include "test_tail_selection.moc"

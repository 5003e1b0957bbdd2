#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "kernels/kernel_fixture.h"
#include "kernels/tail_selection.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

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
Tails twin(std::span<const float> in, std::size_t length) {
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
Tails inOrder(Tails tails) {
  if (tails.upper.empty()) return tails;
  std::sort(tails.upper.begin() + 1, tails.upper.end());
  std::sort(tails.lower.begin() + 1, tails.lower.end(), std::greater());
  return tails;
}

bool agrees(Tails found, const Tails& expected) {
  found = inOrder(std::move(found));
  return firstDifference(found.upper, expected.upper) < 0 &&
         firstDifference(found.lower, expected.lower) < 0;
}

std::vector<float> many(const char* name) {
  std::vector<float> in = tameNumbers(20000, 7);
  const QString kind(name);
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
  } else if (kind == "hidden from a regular sample") {
    // Every 16th is large: what was guessed from those alone lies beyond nearly all others.
    for (std::size_t i = 0; i < in.size(); i += 16) in[i] = 1000 + in[i];
  } else if (kind == "hidden between a regular sample") {
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
  void longArrays_data();
  void longArrays();
  void fillsUpWhatIsMissing();
  void scratchMemoryIsReused();
  void refusesTailsOfTwoLengths();
  void comparisonSeesOneElement();
};

void TailSelectionTest::equalsSorting() {
  for (const std::size_t length : kernelLengths()) {
    for (const auto& in : {hostileNumbers(length, 3.0F, 1), tameNumbers(length, 1)}) {
      for (const std::size_t tail : {0, 1, 2, 7, 16, 17, 40}) {
        const Tails expected = twin(in, tail);
        for (const std::size_t offset : {0, 1, 3}) {
          OffsetArray source(in, offset);
          Tails found;
          {
            const KernelMode mode = kernelModeOfRow();
            found = selected(source.span(), tail);
          }
          QVERIFY2(agrees(found, expected), qPrintable(QString("%1 of %2").arg(tail).arg(length)));
        }
      }
    }
  }
}

void TailSelectionTest::longArrays_data() {
  QTest::addColumn<int>("unused");
  for (const char* name : {"uniform", "like a ReLU's", "sorted", "sorted down", "two of them",
                           "all equal", "none finite", "few finite", "hidden from a regular sample",
                           "hidden between a regular sample"}) {
    QTest::newRow(name) << 0;
  }
}

void TailSelectionTest::longArrays() {
  const std::vector<float> in = many(QTest::currentDataTag());
  for (const std::size_t tail : {1, 16, 17, 501, 4000, 15000, 20000, 20001}) {
    QVERIFY2(agrees(selected(in, tail), twin(in, tail)), qPrintable(QString::number(tail)));
  }
}

void TailSelectionTest::fillsUpWhatIsMissing() {
  const Tails tails = selected(std::vector<float>{2, std::nanf(""), -1}, 3);
  QVERIFY(agrees(tails, {{-kInfinity, -1, 2}, {kInfinity, 2, -1}}));
}

void TailSelectionTest::scratchMemoryIsReused() {
  TailSelection selection;
  for (const std::size_t length : {5000, 100, 7000, 1}) {
    const std::vector<float> in = tameNumbers(length, 9);
    Tails tails{std::vector<float>(1 + length / 40), std::vector<float>(1 + length / 40)};
    selection.select(in, tails.upper, tails.lower);
    QVERIFY(agrees(tails, twin(in, tails.upper.size())));
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
  QVERIFY(!agrees(wrong, twin(in, 100)));
}

QUANTSCOPE_TEST(TailSelectionTest)
#include "test_tail_selection.moc"

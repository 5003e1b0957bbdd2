#include <QtTest>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/large_pages.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

using Numbers = std::vector<std::uint32_t, LargePageAllocator<std::uint32_t>>;
constexpr std::size_t kNumbersOfAPage = kLargePage / sizeof(std::uint32_t);

}  // namespace

class LargePagesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void arraysOfAPageBeginWithOne();
  void numbersStayWhileAnArrayGrows();
};

void LargePagesTest::arraysOfAPageBeginWithOne() {
  for (const std::size_t count : {kNumbersOfAPage, kNumbersOfAPage + 1, 3 * kNumbersOfAPage}) {
    const Numbers numbers(count);
    QCOMPARE(reinterpret_cast<std::uintptr_t>(numbers.data()) % kLargePage, 0U);
  }
}

void LargePagesTest::numbersStayWhileAnArrayGrows() {
  Numbers numbers;
  for (std::uint32_t i = 0; i < 2 * kNumbersOfAPage + 7; ++i) numbers.push_back(i);
  Numbers expected(numbers.size());
  std::iota(expected.begin(), expected.end(), 0U);
  QCOMPARE(numbers, expected);
  numbers.resize(5);
  numbers.shrink_to_fit();
  QCOMPARE(numbers, Numbers({0, 1, 2, 3, 4}));
}

QUANTSCOPE_TEST(LargePagesTest)
#include "test_large_pages.moc"

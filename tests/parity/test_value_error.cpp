#include <QtTest>
#include <cmath>

#include "parity/value_error.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

Tensor floats(std::initializer_list<float> elements) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(elements.size())}, elements);
}

}  // namespace

class ValueErrorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theBoundDecides_data();
  void theBoundDecides();
};

void ValueErrorTest::theBoundDecides_data() {
  QTest::addColumn<Tensor>("ours");
  QTest::addColumn<Tensor>("theirs");
  QTest::addColumn<int>("tolerance");
  QTest::addColumn<bool>("good");
  const auto add = [](const char* name, const Tensor& ours, const Tensor& theirs,
                      Tolerance tolerance, bool good) {
    QTest::newRow(name) << ours << theirs << static_cast<int>(tolerance) << good;
  };
  const float nan = std::nanf("");
  add("within 1e-4 of 100", floats({100, 1.009F}), floats({100, 1}), Tolerance::Float32, true);
  add("beyond it", floats({100, 1.011F}), floats({100, 1}), Tolerance::Float32, false);
  add("within 1e-6", floats({9e-7F}), floats({0}), Tolerance::Float32, true);
  add("beyond 1e-6", floats({1.1e-6F}), floats({0}), Tolerance::Float32, false);
  add("one NaN", floats({1, nan}), floats({1, 1}), Tolerance::Float32, false);
  add("the same NaN", floats({1, nan}), floats({1, nan}), Tolerance::Float32, true);
  add("other infinity", floats({kInfinity}), floats({-kInfinity}), Tolerance::Float32, false);
  add("infinite in one", floats({kInfinity}), floats({1}), Tolerance::Quantized, false);
  add("other shape", floats({1, 1}), floats({1}), Tolerance::Float32, false);
  add("other type", floats({1}), Tensor::of<std::int32_t>(Shape{1}, {1}), Tolerance::Float32,
      false);
  add("integers differ", Tensor::of<std::int64_t>(Shape{2}, {5, 1'000'000}),
      Tensor::of<std::int64_t>(Shape{2}, {5, 1'000'001}), Tolerance::Float32, false);
  add("half precision", floats({1.007F}), floats({1}), Tolerance::Float16, true);
  add("beyond half precision", floats({1.009F}), floats({1}), Tolerance::Float16, false);
  add("1.9 % relative L2", floats({1.019F, 0}), floats({1, 0}), Tolerance::Quantized, true);
  add("2.1 % relative L2", floats({1, 0.021F}), floats({1, 0}), Tolerance::Quantized, false);
  add("against zero", floats({1e-9F}), floats({0}), Tolerance::Quantized, false);
}

void ValueErrorTest::theBoundDecides() {
  QFETCH(Tensor, ours);
  QFETCH(Tensor, theirs);
  QFETCH(int, tolerance);
  QFETCH(bool, good);
  const double ratio = errorRatio(ours, theirs, static_cast<Tolerance>(tolerance));
  QVERIFY2((ratio <= 1) == good, qPrintable(QString::number(ratio)));
}

QUANTSCOPE_TEST(ValueErrorTest)
#include "test_value_error.moc"

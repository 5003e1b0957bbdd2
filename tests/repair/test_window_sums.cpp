#include <QtTest>
#include <cmath>
#include <random>

#include "engine/operators/window_walker.h"
#include "repair/rounding/window_sums.h"
#include "support/any_window.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class WindowSumsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyEqualTheSumsOfAllPositions();
};

void WindowSumsTest::theyEqualTheSumsOfAllPositions() {
  std::mt19937 random(17);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 500; ++round) {
    const std::size_t axes = std::uniform_int_distribution<std::size_t>(1, 3)(random);
    const Window window = anyWindow(random, axes);
    std::size_t elements = 1;
    for (const WindowAxis& axis : window.axes) elements *= static_cast<std::size_t>(axis.input);
    std::vector<float> plane(elements);
    for (float& element : plane) element = normal(random);

    std::vector<double> wanted(static_cast<std::size_t>(window.taps()), 0.0);
    WindowWalker walker(window);
    for (std::int64_t position = 0; position < window.positions(); ++position) {
      for (const WindowWalker::Tap& tap : walker.at(position)) {
        wanted[static_cast<std::size_t>(tap.tap)] += plane[static_cast<std::size_t>(tap.source)];
      }
    }
    const std::vector<double> found = windowSums(window, plane);
    QCOMPARE(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QVERIFY2(std::abs(found[i] - wanted[i]) <= 1e-11,
               qPrintable(QString("round %1, tap %2: %3 for %4")
                              .arg(round)
                              .arg(i)
                              .arg(found[i], 0, 'g', 17)
                              .arg(wanted[i], 0, 'g', 17)));
    }
  }
}

QUANTSCOPE_TEST(WindowSumsTest)
#include "test_window_sums.moc"

#include <QtTest>
#include <random>

#include "engine/operators/window_walker.h"
#include "support/any_window.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Taps = std::vector<std::pair<std::int64_t, std::int64_t>>;

Taps copied(std::span<const WindowWalker::Tap> taps) {
  Taps result;
  for (const WindowWalker::Tap& tap : taps) result.emplace_back(tap.tap, tap.source);
  return result;
}

// Two axes, by the definition: every element of the kernel whose place lies inside the input.
Taps defined(const Window& window, std::int64_t position) {
  const WindowAxis& down = window.axes[0];
  const WindowAxis& across = window.axes[1];
  Taps taps;
  for (std::int64_t tap = 0; tap < down.kernel * across.kernel; ++tap) {
    const std::int64_t row = position / across.output * down.stride - down.padBegin +
                             tap / across.kernel * down.dilation;
    const std::int64_t column = position % across.output * across.stride - across.padBegin +
                                tap % across.kernel * across.dilation;
    const bool inside = row >= 0 && row < down.input && column >= 0 && column < across.input;
    if (inside) taps.emplace_back(tap, row * across.input + column);
  }
  return taps;
}

}  // namespace

class WindowWalkerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void neighboursAndJumpsSeeTheSame();
};

void WindowWalkerTest::neighboursAndJumpsSeeTheSame() {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Window window = anyWindow(random, 2);
    // Rows may end before the window reaches the end of the input.
    std::int64_t& across = window.axes[1].output;
    across = std::uniform_int_distribution<std::int64_t>(1, across)(random);
    WindowWalker walker(window);
    for (std::int64_t position = 0; position < window.positions(); ++position) {
      QCOMPARE(copied(walker.at(position)), defined(window, position));
    }
    std::uniform_int_distribution<std::int64_t> anywhere(0, window.positions() - 1);
    for (int jump = 0; jump < 20; ++jump) {
      for (std::int64_t at = anywhere(random), i = 0; i < 3 && at < window.positions(); ++i, ++at) {
        QCOMPARE(copied(walker.at(at)), defined(window, at));
      }
    }
  }
}

QUANTSCOPE_TEST(WindowWalkerTest)
#include "test_window_walker.moc"

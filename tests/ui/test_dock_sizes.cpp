#include <QDockWidget>
#include <QTabWidget>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Sizes {
  int outline;
  int inspector;
  int findings;
  bool operator==(const Sizes&) const = default;
};

Sizes sizes(const TestWindow& window) {
  return {window.panel("outline").width(), window.panel("inspector").width(),
          window.panel("findings").height()};
}

QByteArray textOf(const Sizes& sizes) {
  return QByteArray::number(sizes.outline) + ' ' + QByteArray::number(sizes.inspector) + ' ' +
         QByteArray::number(sizes.findings);
}

// Until nothing moves any more.
void comeToRest(const TestWindow& window) {
  Sizes last{};
  do {
    last = sizes(window);
    QTest::qWait(120);
  } while (!(sizes(window) == last));
}

void resizeTo(const TestWindow& window, const QSize& size) {
  window->resize(size);
  QTRY_COMPARE(window->size(), size);
  comeToRest(window);
}

// The edge between the outline and the middle.
void dragOutline(const TestWindow& window, int by) {
  QDockWidget& outline = window.panel("outline");
  const QPoint edge(outline.geometry().right() + 2, outline.geometry().center().y());
  QTest::mousePress(window.window.get(), Qt::LeftButton, {}, edge);
  for (int step = 1; step <= 4; ++step) {
    QTest::mouseMove(window.window.get(), edge + QPoint(by * step / 4, 0));
    QTest::qWait(5);
  }
  QTest::mouseRelease(window.window.get(), Qt::LeftButton, {}, edge + QPoint(by, 0));
  comeToRest(window);
}

}  // namespace

#define COMPARE_SIZES(now, then) QVERIFY2((now) == (then), (textOf(now) + " | " + textOf(then)))

/// Panels keep their sizes unless the user drags an edge.
class DockSizesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void noticesLeaveThem_data();
  void noticesLeaveThem();
  void theGraphHasItsShare_data() { noticesLeaveThem_data(); }
  void theGraphHasItsShare();
  void visitedTabsLeaveThem_data() { noticesLeaveThem_data(); }
  void visitedTabsLeaveThem();
  void aSmallWindowGivesThemBack();
  void whatIsDraggedIsKept();
};

void DockSizesTest::noticesLeaveThem_data() {
  QTest::addColumn<QSize>("size");
  QTest::newRow("least") << QSize(1100, 700);
  QTest::newRow("small") << QSize(1280, 800);
  QTest::newRow("large") << QSize(1920, 1080);
}

void DockSizesTest::noticesLeaveThem() {
  QFETCH(QSize, size);
  const Workbench window;
  resizeTo(window, size);
  window->messages().dismissAll();
  QTest::qWait(10);
  const Sizes before = sizes(window);
  for (int i = 0; i < 3; ++i) {
    window->messages().tell({.severity = Message::Severity::Warning,
                             .sentence = QString(QStringLiteral("long words ")).repeated(20),
                             .remedies = {{QStringLiteral("Mend"), [] {}}}});
    QTest::qWait(10);
    COMPARE_SIZES(sizes(window), before);
  }
  window->messages().dismissAll();
  QTest::qWait(10);
  COMPARE_SIZES(sizes(window), before);
}

void DockSizesTest::theGraphHasItsShare() {
  QFETCH(QSize, size);
  const Workbench window;
  resizeTo(window, size);
  QVERIFY2(window->tabs().width() >= 0.59 * size.width() || size.width() < 1280,
           textOf(sizes(window)));
}

void DockSizesTest::visitedTabsLeaveThem() {
  QFETCH(QSize, size);
  const Workbench window;
  resizeTo(window, size);
  const Sizes before = sizes(window);
  for (int tab = 0; tab < window->tabs().count(); ++tab) {
    window->tabs().setCurrentIndex(tab);
    QTest::qWait(20);
    COMPARE_SIZES(sizes(window), before);
  }
}

void DockSizesTest::aSmallWindowGivesThemBack() {
  const Workbench window;
  resizeTo(window, {1440, 900});
  const Sizes before = sizes(window);
  resizeTo(window, {800, 520});
  QCOMPARE(window->size(), QSize(800, 520));
  resizeTo(window, {1440, 900});
  COMPARE_SIZES(sizes(window), before);
}

void DockSizesTest::whatIsDraggedIsKept() {
  int dragged = 0;
  {
    const Workbench window;
    resizeTo(window, {1440, 900});
    const int before = sizes(window).outline;
    dragOutline(window, 70);
    dragged = sizes(window).outline;
    QCOMPARE(dragged, before + 70);
    resizeTo(window, {800, 520});
    resizeTo(window, {1440, 900});
    QCOMPARE(sizes(window).outline, dragged);
    resizeTo(window, {800, 520});
    window->close();
  }
  const TestWindow window(false);
  window.openSample(1);
  resizeTo(window, {1440, 900});
  QCOMPARE(sizes(window).outline, dragged);
  window.action(ActionId::ResetLayout)->trigger();
  comeToRest(window);
  QVERIFY(sizes(window).outline != dragged);
}

QUANTSCOPE_TEST(DockSizesTest)
#include "test_dock_sizes.moc"

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/window_fixture.h"
#include "widgets/graph/graph_view.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/layers/layers_view.h"
#include "widgets/outline/outline_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

template <class View>
View& view(const TestWindow& window) {
  return *window->findChild<View*>();
}

QAction* graphAction(const TestWindow& window, const char* name) {
  for (QAction* action : view<GraphView>(window).graphActions()) {
    if (action->objectName() == QLatin1String(name)) return action;
  }
  qFatal("no action %s", name);
}

InspectorSection& section(const TestWindow& window, const char* key) {
  for (InspectorSection* candidate : window->findChildren<InspectorSection*>()) {
    if (candidate->key() == QLatin1String(key)) return *candidate;
  }
  qFatal("no section %s", key);
}

}  // namespace

class ViewStatesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void viewsAreRemembered();
  void foreignStatesAreIgnored();
};

void ViewStatesTest::viewsAreRemembered() {
  {
    const TestWindow window;
    window.openSample(2);
    graphAction(window, "graph.left-to-right")->setChecked(true);
    view<HeatmapView>(window).setMode(HeatmapMode::Channels);
    view<LayersView>(window).findChild<QTableView*>()->sortByColumn(2, Qt::DescendingOrder);
    view<LayersView>(window).findChild<QTableView*>()->setColumnHidden(1, true);
    view<OutlineView>(window).findChild<QTreeView*>()->sortByColumn(1, Qt::DescendingOrder);
    section(window, "distribution").setOpen(false);
    window->close();
  }
  const TestWindow window(false);
  window.openSample(2);
  QVERIFY(graphAction(window, "graph.left-to-right")->isChecked());
  QVERIFY(!graphAction(window, "graph.constants")->isChecked());
  QVERIFY(view<GraphView>(window).drawingOptions().leftToRight);
  QVERIFY(view<HeatmapView>(window).mode() == HeatmapMode::Channels);
  const auto* table = view<LayersView>(window).findChild<QTableView*>();
  QCOMPARE(table->horizontalHeader()->sortIndicatorSection(), 2);
  QVERIFY(table->isColumnHidden(1));
  const auto* tree = view<OutlineView>(window).findChild<QTreeView*>();
  QCOMPARE(tree->header()->sortIndicatorSection(), 1);
  QCOMPARE(tree->header()->sortIndicatorOrder(), Qt::DescendingOrder);
  QVERIFY(!section(window, "distribution").isOpen());
  QVERIFY(section(window, "error").isOpen());
}

void ViewStatesTest::foreignStatesAreIgnored() {
  QList<QByteArray> states;
  {
    const TestWindow window;
    for (const SnapshotView* one : window->findChildren<SnapshotView*>()) {
      states << one->saveState();
      if (states.constLast().isEmpty()) continue;
      openSettings().setValue(QStringLiteral("view/state/") + one->objectName(),
                              QByteArrayLiteral("something else"));
    }
  }
  const TestWindow window(false);
  QList<QByteArray> again;
  for (const SnapshotView* one : window->findChildren<SnapshotView*>()) again << one->saveState();
  QCOMPARE(again, states);
}

QUANTSCOPE_TEST(ViewStatesTest)
#include "test_view_states.moc"

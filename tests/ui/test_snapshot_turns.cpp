#include <QtTest>

#include "app/gui/snapshot_turns.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

constexpr std::size_t kLarge = 20'000;

SnapshotPtr modelOf(std::size_t nodes) {
  auto graph = std::make_shared<Graph>();
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node;
    node.block = Graph::mainBlock();
    graph->addNode(std::move(node));
  }
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->model.graph = std::move(graph);
  return snapshot;
}

// Takes longer to show something than views that share a turn may.
class SlowView : public SnapshotView {
 public:
  using SnapshotView::SnapshotView;

 protected:
  void showSnapshot() override {
    constexpr int kSlowMs = 20;
    if (snapshot()) QTest::qSleep(kSlowMs);
  }
};

struct TwoViews {
  TwoViews() {
    for (SlowView* view : {&first, &second}) {
      view->show();
      turns.add(view);
    }
  }

  Selection selection;
  DisplayOptions options;
  SlowView first{ViewContext{&selection, &options}};
  SlowView second{ViewContext{&selection, &options}};
  SnapshotTurns turns;
};

}  // namespace

class SnapshotTurnsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anotherModelReachesAllAtOnce();
  void aLargeModelIsTakenInTurns();
};

void SnapshotTurnsTest::anotherModelReachesAllAtOnce() {
  TwoViews views;
  for (const SnapshotPtr& model : {modelOf(3), modelOf(3)}) {
    views.turns.show(model);
    QVERIFY(views.turns.settled());
    QVERIFY(views.first.snapshot() == model && views.second.snapshot() == model);
  }
}

// None of them shows the former model beside the new one.
void SnapshotTurnsTest::aLargeModelIsTakenInTurns() {
  TwoViews views;
  for (const SnapshotPtr& model : {modelOf(kLarge), modelOf(kLarge)}) {
    views.turns.show(model);
    QVERIFY(views.first.snapshot() == nullptr && views.second.snapshot() == nullptr);
    while (views.first.snapshot() == nullptr) QCoreApplication::processEvents();
    QVERIFY(views.first.snapshot() == model && views.second.snapshot() == nullptr);
    QTRY_VERIFY(views.turns.settled());
    QVERIFY(views.second.snapshot() == model);
  }
  views.turns.show(nullptr);
  QVERIFY(views.first.snapshot() == nullptr && views.turns.settled());
}

QUANTSCOPE_TEST(SnapshotTurnsTest)
#include "test_snapshot_turns.moc"

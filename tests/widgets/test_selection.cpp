#include <QSignalSpy>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/view/selection.h"

using namespace quantscope;

class SelectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void backAndForward();
  void detailsAreNoStops();
  void sameAgainIsSilent();
};

void SelectionTest::backAndForward() {
  Selection selection;
  QVERIFY(!selection.canGoBack());
  selection.selectNode(NodeId(1));
  selection.selectNode(NodeId(2));
  selection.goBack();
  QCOMPARE(selection.current().node.index, 1);
  QVERIFY(selection.canGoForward());
  selection.goForward();
  QCOMPARE(selection.current().node.index, 2);
  selection.goBack();
  selection.selectNode(NodeId(3));
  QVERIFY(!selection.canGoForward());
  selection.reset();
  QVERIFY(selection.current().empty());
  QVERIFY(!selection.canGoBack());
}

void SelectionTest::detailsAreNoStops() {
  Selection selection;
  selection.selectNode(NodeId(1));
  selection.selectChannel(4);
  selection.selectSample(2);
  selection.goBack();
  QVERIFY(selection.current().empty());
  selection.goForward();
  QCOMPARE(selection.current().channel, 4);
  QCOMPARE(selection.current().sample, 2);
}

void SelectionTest::sameAgainIsSilent() {
  Selection selection;
  selection.selectNode(NodeId(1));
  const QSignalSpy changed(&selection, &Selection::changed);
  selection.selectNode(NodeId(1));
  QCOMPARE(changed.count(), 0);
}

QUANTSCOPE_TEST(SelectionTest)
#include "test_selection.moc"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>
#include <QWindow>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_model.h"
#include "widgets/outline/outline_order.h"
#include "widgets/outline/outline_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

AnalysisResult resultOf(const QStringList& names) {
  AnalysisResult result;
  for (const QString& name : names) {
    LayerResult layer;
    layer.node = NodeId(result.layers.size());
    layer.members = {layer.node};
    layer.name = name.toStdString();
    layer.op = "Conv";
    layer.scope = scopeOf(layer.name);
    result.layers.push_back(layer);
  }
  return result;
}

// "stem features(0(depthwise pointwise) Add)"
QString printed(const OutlineTree& tree, OutlineTree::Index index = OutlineTree::kRoot) {
  QStringList children;
  for (const OutlineTree::Index child : tree[index].children) {
    QString one = text(tree[child].label);
    if (!tree[child].children.empty()) one += u'(' + printed(tree, child) + u')';
    children << one;
  }
  return children.join(u' ');
}

struct OutlineFixture {
  Selection selection;
  DisplayOptions options;
  OutlineView view{ViewContext{&selection, &options}};
  QTreeView& tree = *view.findChild<QTreeView*>();
  QLineEdit& filter = *view.findChild<QLineEdit*>();
  QAbstractItemModel& model = *tree.model();

  OutlineFixture() {
    view.resize(360, 800);
    view.setSnapshot(sampleSnapshot());
  }
  QModelIndex find(const QString& label) const {
    const QModelIndexList found =
        model.match(model.index(0, 0), Qt::DisplayRole, label, 1,
                    Qt::MatchExactly | Qt::MatchRecursive | Qt::MatchCaseSensitive);
    return found.isEmpty() ? QModelIndex() : found.front();
  }
  void click(const QModelIndex& index, bool twice = false) {
    const QPoint at = tree.visualRect(index).center();
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, at);
    if (twice) QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, at);
  }
  QString current() const { return tree.currentIndex().siblingAtColumn(0).data().toString(); }
};

}  // namespace

class OutlineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneRowIsSelectedWhileCtrlIsHeld();
  void treeOfScopes_data();
  void treeOfScopes();
  void mergedScopesAreFound();
  void aScopeShowsTheWorstInside();
  void everyStepIsSound();
  void clickSelectsScopesAndLayers();
  void doubleClickAndReturnCentre();
  void followsTheSelection();
  void sortsByWorst();
  void filterOpensAndClosesAgain();
  void hiddenItDoesNotWork();
};

void OutlineTest::treeOfScopes_data() {
  QTest::addColumn<QStringList>("names");
  QTest::addColumn<QString>("tree");
  QTest::newRow("none") << QStringList{} << "";
  QTest::newRow("no scopes") << QStringList{"a", "b"} << "a b";
  QTest::newRow("slashes") << QStringList{"/s/a", "/s/b", "/t/a", "/t/b"} << "s(a b) t(a b)";
  QTest::newRow("dots") << QStringList{"s.a", "s.b", "c"} << "s(a b) c";
  QTest::newRow("chains are one row")
      << QStringList{"/m/s/t/a", "/m/s/t/b", "/u"} << "m/s/t(a b) u";
  QTest::newRow("a lonely layer") << QStringList{"/s/t/a", "/s/b"} << "s(t/a b)";
  QTest::newRow("its operator is not repeated")
      << QStringList{"/s/t/Conv", "/s/Conv"} << "s(t Conv)";
  QTest::newRow("interrupted") << QStringList{"/s/a", "/t", "/s/b"} << "s(a b) t";
}

void OutlineTest::treeOfScopes() {
  QFETCH(QStringList, names);
  QTEST(printed(OutlineTree(resultOf(names))), "tree");
}

void OutlineTest::mergedScopesAreFound() {
  const OutlineTree tree(resultOf({"/m/s/t/a", "/m/s/t/b", "/u/v/Conv"}));
  const auto inner = tree.findScope("/m/s/t");
  QVERIFY(inner.has_value());
  QVERIFY(tree.findScope("/m") == inner);
  QVERIFY(tree.findScope("/m/s") == inner);
  QCOMPARE(tree[*inner].layers, std::size_t{2});
  QVERIFY(tree.findScope("/u") == tree.findLayer(2));
  QVERIFY(!tree.findScope("/nowhere"));
}

void OutlineTest::aScopeShowsTheWorstInside() {
  const OutlineTree tree(resultOf({"/s/a", "/s/b", "/s/c", "/t/a", "/t/b"}));
  const std::vector<Figure> figures{{Figure::Kind::Value, 30},
                                    {Figure::Kind::NotQuantized, 0},
                                    {Figure::Kind::Value, 12},
                                    {Figure::Kind::NotQuantized, 0},
                                    {Figure::Kind::NotComputed, 0}};
  const MetricDescription& sqnr = metricCatalogue()[0];
  const auto worst = tree.figures(figures, sqnr);
  QCOMPARE(worst[*tree.findScope("/s")].value, 12.0);
  QVERIFY(worst[*tree.findScope("/t")].kind == Figure::Kind::NotComputed);
  const MetricDescription& nmse = metricCatalogue()[1];
  QCOMPARE(tree.figures(figures, nmse)[*tree.findScope("/s")].value, 30.0);
}

void OutlineTest::everyStepIsSound() {
  OutlineModel model;
  OutlineOrder order;
  order.setSourceModel(&model);
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  const QAbstractItemModelTester orderTester(
      &order, QAbstractItemModelTester::FailureReportingMode::QtTest);
  order.sort(OutlineModel::kFigure);
  DisplayOptions options;
  for (const SnapshotPtr& snapshot : sampleSnapshots(sampleRequest("digits_mobilenet", 2))) {
    model.setSnapshot(snapshot);
    model.showFigures(options);
  }
  QVERIFY(order.rowCount() > 2);
  order.setFilter(LayerFilter(QStringLiteral("depthwise"), ErrorKind::Local));
  QCOMPARE(order.rowCount(), 1);
  options.setKind(ErrorKind::Accumulated);
  model.showFigures(options);
  model.setSnapshot(nullptr);
  QCOMPARE(order.rowCount(), 0);
}

void OutlineTest::clickSelectsScopesAndLayers() {
  OutlineFixture fixture;
  fixture.view.show();
  fixture.click(fixture.find(QStringLiteral("features.2")));
  QCOMPARE(fixture.selection.current().scope, std::string("/features/features.2"));
  QVERIFY(!fixture.selection.current().node.valid());
  fixture.click(fixture.find(QStringLiteral("stem/conv")));
  QVERIFY(fixture.selection.current().node == sampleSnapshot()->result->layers[0].node);
  QVERIFY(fixture.selection.current().scope.empty());
}

void OutlineTest::doubleClickAndReturnCentre() {
  OutlineFixture fixture;
  fixture.view.show();
  const QSignalSpy centre(&fixture.selection, &Selection::graphRequested);
  fixture.click(fixture.find(QStringLiteral("stem/conv")), true);
  QCOMPARE(centre.count(), 1);
  fixture.view.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&fixture.view));
  fixture.tree.setFocus();
  QTest::keyClick(&fixture.tree, Qt::Key_Return);
  QCOMPARE(centre.count(), 2);
}

void OutlineTest::followsTheSelection() {
  OutlineFixture fixture;
  fixture.view.show();
  fixture.tree.collapseAll();
  const std::size_t layer =
      layerNamed(*sampleSnapshot()->result, "/features/features.4/pointwise/conv/Conv");
  fixture.selection.selectNode(sampleSnapshot()->result->layers[layer].node);
  QCOMPARE(fixture.current(), QStringLiteral("pointwise/conv"));
  QVERIFY(fixture.tree.isExpanded(fixture.tree.currentIndex().parent()));
  QVERIFY(!fixture.tree.visualRect(fixture.tree.currentIndex()).isEmpty());
  fixture.selection.select({.node = {}, .scope = "/features", .value = {}});
  QCOMPARE(fixture.current(), QStringLiteral("features"));
  fixture.selection.clear();
  QVERIFY(!fixture.tree.selectionModel()->hasSelection());
}

void OutlineTest::sortsByWorst() {
  OutlineFixture fixture;
  fixture.view.show();
  fixture.tree.sortByColumn(OutlineModel::kFigure, Qt::AscendingOrder);
  const QModelIndex features = fixture.find(QStringLiteral("features"));
  double before = -1e9;
  for (int row = 0; row < fixture.model.rowCount(features); ++row) {
    const QVariant figure = fixture.model.index(row, OutlineModel::kFigure, features).data();
    if (!figure.isValid()) continue;
    QVERIFY(figure.toDouble() >= before);
    before = figure.toDouble();
  }
  QVERIFY(before > 0);
  fixture.tree.sortByColumn(OutlineModel::kName, Qt::AscendingOrder);
  QCOMPARE(fixture.model.index(0, 0).data().toString(), QStringLiteral("stem/conv"));
}

void OutlineTest::filterOpensAndClosesAgain() {
  OutlineFixture fixture;
  fixture.view.show();
  fixture.tree.collapseAll();
  fixture.click(fixture.find(QStringLiteral("stem/conv")));
  const Selected before = fixture.selection.current();
  fixture.filter.setText(QStringLiteral("project"));
  QCOMPARE(fixture.model.rowCount(), 1);
  QVERIFY(fixture.tree.isExpanded(fixture.model.index(0, 0)));
  QVERIFY(fixture.selection.current() == before);
  fixture.filter.clear();
  QVERIFY(!fixture.tree.isExpanded(fixture.find(QStringLiteral("features"))));
  QCOMPARE(fixture.current(), QStringLiteral("stem/conv"));
}

void OutlineTest::hiddenItDoesNotWork() {
  OutlineFixture fixture;
  QCOMPARE(fixture.model.rowCount(), 0);
  fixture.view.show();
  QVERIFY(fixture.model.rowCount() > 2);
}

// Ctrl+B selects another layer while Ctrl is held.
void OutlineTest::oneRowIsSelectedWhileCtrlIsHeld() {
  OutlineFixture fixture;
  fixture.view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&fixture.view));
  const std::vector<LayerResult>& layers = sampleSnapshot()->result->layers;
  fixture.selection.selectNode(layers.front().node);
  QWindow* window = fixture.view.windowHandle();
  QTest::keyPress(window, Qt::Key_Control, Qt::ControlModifier);
  QCOMPARE(QGuiApplication::keyboardModifiers(), Qt::ControlModifier);
  fixture.selection.selectNode(layers.back().node);
  QCOMPARE(fixture.tree.selectionModel()->selectedRows().size(), 1);
  QTest::keyRelease(window, Qt::Key_Control);
}

QUANTSCOPE_TEST(OutlineTest)
#include "test_outline.moc"

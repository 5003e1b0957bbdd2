#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/look/text.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/precision/type_segment.h"
#include "widgets/precision/type_segments.h"

using namespace quantscope;
using namespace quantscope::test;

class PrecisionOverridesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSegmentSetsTheType();
  void whatTheBackendLacksSaysWhy();
  void severalAreSetAtOnce();
  void rowsAreSelectedTogether();
  void keysSetAndReset();
  void copyAndPaste();
  void otherTextIsNotPasted();
  void menusSetAnOperatorType();
  void aScopeIsSetByARule();
  void detailsChangeOneField();
  void figuresAreThoseOfAColdStart();
};

namespace {

TypeSegments& segments(const Workbench& bench) {
  return *bench.window->findChild<TypeSegments*>();
}

void clickSegment(const Workbench& bench, std::size_t place) {
  QTest::mouseClick(segments(bench).segments()[place], Qt::LeftButton);
}

QString inspected(const Workbench& bench, const char* section) {
  return bench.view<InspectorView>()
      .findChild<InspectorSection*>(QString::fromLatin1(section))
      ->asText();
}

const PrecisionConfig& config(const Workbench& bench) {
  return *bench.window->session().request().config.precision;
}

std::vector<std::size_t> quantizedLayers(const Workbench& bench) {
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    if (bench.layer(i).weight) layers.push_back(i);
  }
  return layers;
}

}  // namespace

void PrecisionOverridesTest::aSegmentSetsTheType() {
  const Workbench bench;
  const std::size_t worst = bench.worstLayer();
  const QString name = text(bench.layer(worst).name);
  bench->session().selection().selectNode(bench.layer(worst).node);
  QVERIFY(segments(bench).segments()[0]->state() == TypeSegment::State::On);
  clickSegment(bench, 3);
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("set %1 to float").arg(name));
  QVERIFY(segments(bench).segments()[3]->state() == TypeSegment::State::On);
  QCOMPARE(inspected(bench, "precision"), QStringLiteral("FP32\nOverride: INT8 → FP32"));
  bench.waitForEnd();
  QVERIFY(!bench.layer(worst).quantized);
  bench->session().precision().reset();
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("reset %1").arg(name));
  bench.waitForEnd();
  QVERIFY(bench.layer(worst).quantized);
  QVERIFY(config(bench).nodes.empty());
}

void PrecisionOverridesTest::whatTheBackendLacksSaysWhy() {
  const Workbench bench;
  const std::size_t layer = quantizedLayers(bench).front();
  bench->session().selection().selectNode(bench.layer(layer).node);
  const TypeSegment* int16 = segments(bench).segments()[1];
  QVERIFY(!int16->isEnabled());
  QVERIFY2(int16->toolTip().contains(QStringLiteral("x86 runs Conv in INT8 only.")),
           qPrintable(int16->toolTip()));
  bench.action(ActionId::SetType2)->trigger();
  QCOMPARE(bench.messages(), QStringLiteral("X86 runs Conv in INT8 only."));
  QVERIFY(!bench->session().undoStack().canUndo());
  Configuration generic = bench->session().request().config;
  generic.precision.edit([](PrecisionConfig& precision) { precision.backend = "generic"; });
  bench->session().setConfig(generic, QStringLiteral("generic"));
  QVERIFY(int16->isEnabled());
}

void PrecisionOverridesTest::severalAreSetAtOnce() {
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  QVERIFY(bench.click(Spot::Graph, layers[0]));
  const QRectF box = bench.scene().boxes()[*bench.scene().boxOfLayer(layers[1])].rect;
  bench.canvas().setView(box.center(), 1);
  QVERIFY(bench.graphIsSettled());
  QTest::mouseClick(&bench.canvas(), Qt::LeftButton, Qt::ControlModifier,
                    bench.canvas().camera().toView(box.center()).toPoint());
  QCOMPARE(bench.canvas().selectedBoxes().size(), std::size_t(2));
  QVERIFY2(inspected(bench, "header").startsWith(QStringLiteral("2 layers")),
           qPrintable(inspected(bench, "header")));
  clickSegment(bench, 3);
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("set 2 layers to float"));
  QCOMPARE(inspected(bench, "precision"), QStringLiteral("FP32\n2 layers, FP32 · 2 overridden"));
  bench->session().selection().toggleNode(bench.layer(layers[2]).node);
  QCOMPARE(inspected(bench, "precision"), QStringLiteral("3 layers, mixed · 2 overridden"));
  QVERIFY(segments(bench).segments()[3]->state() == TypeSegment::State::Some);
}

void PrecisionOverridesTest::rowsAreSelectedTogether() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Layers));
  QTableView& table = bench.layers();
  const auto click = [&](QAbstractItemView& view, const QModelIndex& index,
                         Qt::KeyboardModifiers modifiers) {
    view.scrollTo(index);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, modifiers, view.visualRect(index).center());
  };
  click(table, table.model()->index(1, 1), {});
  click(table, table.model()->index(3, 1), Qt::ControlModifier);
  QCOMPARE(bench->session().selection().current().nodes().size(), std::size_t(2));
  QCOMPARE(bench.outline().selectionModel()->selectedRows().size(), 2);
  click(table, table.model()->index(5, 1), Qt::ShiftModifier);
  // The range joins what was selected before.
  QCOMPARE(table.selectionModel()->selectedRows().size(), 4);
  QCOMPARE(bench->session().selection().current().nodes().size(), std::size_t(4));
  bench->session().selection().clear();
  QVERIFY(table.selectionModel()->selectedRows().isEmpty());
}

void PrecisionOverridesTest::keysSetAndReset() {
  const Workbench bench;
  QVERIFY(bench.click(Spot::Graph, quantizedLayers(bench)[0]));
  bench.canvas().setFocus();
  QTest::keyClick(&bench.canvas(), Qt::Key_4);
  // All members of a fused pattern are float with it.
  QCOMPARE(config(bench).nodes.size(), bench.layer(quantizedLayers(bench)[0]).members.size());
  QTest::keyClick(&bench.canvas(), Qt::Key_1);
  QVERIFY(config(bench).nodes.empty());  // as without an entry
  QTest::keyClick(&bench.canvas(), Qt::Key_4);
  QTest::keyClick(&bench.canvas(), Qt::Key_0);
  QVERIFY(config(bench).nodes.empty());
  QCOMPARE(bench->session().undoStack().count(), 4);
}

void PrecisionOverridesTest::copyAndPaste() {
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  Selection& selection = bench->session().selection();
  selection.selectNode(bench.layer(layers[0]).node);
  bench.action(ActionId::SetType4)->trigger();
  bench.action(ActionId::CopyPrecision)->trigger();
  selection.selectNodes({bench.layer(layers[1]).node, bench.layer(layers[2]).node});
  bench.action(ActionId::PastePrecision)->trigger();
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("paste the precision to 2 layers"));
  std::size_t members = 0;
  for (std::size_t i = 0; i < 3; ++i) members += bench.layer(layers[i]).members.size();
  QCOMPARE(config(bench).nodes.size(), members);
  for (const auto& [name, precision] : config(bench).nodes) QVERIFY(precision.float32);
}

void PrecisionOverridesTest::otherTextIsNotPasted() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(quantizedLayers(bench)[0]).node);
  for (const char* words : {"", "hello", "{}", R"({"quantscope_precision": {"weight": 3}})"}) {
    QGuiApplication::clipboard()->setText(QString::fromLatin1(words));
    bench.action(ActionId::PastePrecision)->trigger();
    QCOMPARE(bench.messages(), QStringLiteral("The clipboard holds no precision."));
  }
  QVERIFY(!bench->session().undoStack().canUndo());
}

void PrecisionOverridesTest::menusSetAnOperatorType() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(quantizedLayers(bench)[0]).node);
  QMenu menu;
  addPrecisionMenu(menu, &bench->session().precision());
  QMenu* precision = menu.actions().constFirst()->menu();
  QStringList titles;
  for (const QAction* action : precision->actions()) {
    if (!action->isSeparator()) titles << action->text().section(u'\t', 0, 0).remove(u'&');
  }
  QCOMPARE(titles.join(QStringLiteral(", ")),
           QStringLiteral("INT8, INT16, FP16, FP32, BF16, FP8 E4M3, FP8 E5M2, INT4, INT2, Ternary, "
                          "Binary, Reset, Copy Precision, Paste Precision, Every Conv"));
  QMenu* every = precision->actions().constLast()->menu();
  every->actions()[3]->trigger();
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("set every Conv to float"));
  QCOMPARE(config(bench).opTypes.size(), std::size_t(1));
  QVERIFY(config(bench).opTypes[0].second.float32);
}

void PrecisionOverridesTest::aScopeIsSetByARule() {
  const Workbench bench;
  std::string scope;
  for (std::size_t i = 0; i < bench.layerCount() && scope.empty(); ++i) {
    scope = bench.layer(i).scope;
  }
  QVERIFY(!scope.empty());
  bench->session().selection().select({.node = {}, .scope = scope, .value = {}});
  QVERIFY(segments(bench).isVisible());
  bench->session().precision().setType(QuantType::Float32);
  QVERIFY2(bench->session().undoStack().canUndo(), qPrintable(bench.messages()));
  bench.waitForEnd();
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    if (bench.layer(i).scope == scope && !bench.layer(i).dataMover) {
      QVERIFY2(!bench.layer(i).quantized, bench.layer(i).name.c_str());
    }
  }
  bench->session().precision().reset();
  QVERIFY(config(bench).nodes.empty() && config(bench).patterns.empty());
}

void PrecisionOverridesTest::detailsChangeOneField() {
  const Workbench bench;
  const std::vector<std::size_t> layers = quantizedLayers(bench);
  bench->session().selection().selectNodes(
      {bench.layer(layers[0]).node, bench.layer(layers[1]).node});
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set weights to per tensor of"));
  QCOMPARE(bench->session().undoStack().undoText(),
           QStringLiteral("set weights to per tensor of 2 layers"));
  QCOMPARE(config(bench).nodes.size(), std::size_t(2));
  bench->session().selection().selectNode(bench.layer(layers[0]).node);
  QVERIFY2(inspected(bench, "precision").startsWith(QStringLiteral("INT8\nOverride: weights ")),
           qPrintable(inspected(bench, "precision")));
}

void PrecisionOverridesTest::figuresAreThoseOfAColdStart() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  clickSegment(bench, 3);
  bench.waitForEnd();
  const AnalysisResult& shown = *bench->session().snapshot()->result;
  const SnapshotPtr cold = sampleSnapshots(bench->session().request()).back();
  QCOMPARE(shown.outputs.size(), cold->result->outputs.size());
  QVERIFY(shown.outputs[0].error.sqnrDb == cold->result->outputs[0].error.sqnrDb);
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    const LayerResult& a = shown.layers[i];
    const LayerResult& b = cold->result->layers[i];
    QCOMPARE(a.local.has_value(), b.local.has_value());
    if (a.local) QVERIFY(a.local->total.sqnrDb == b.local->total.sqnrDb);
    if (a.accumulated) QVERIFY(a.accumulated->total.sqnrDb == b.accumulated->total.sqnrDb);
  }
}

QUANTSCOPE_TEST(PrecisionOverridesTest)
#include "test_precision_overrides.moc"

#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "analysis/errors/worst_output.h"
#include "support/test_main.h"
#include "ui/precision_words.h"
#include "widgets/configuration/override_list.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/precision/type_segment.h"
#include "widgets/precision/type_segments.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/gain_words.h"

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
  void keysAreThoseOfTheSegments_data();
  void keysAreThoseOfTheSegments();
  void menusShowWhatATypeWins();
  void menusShowWhatAnOperatorTypeWins();
  void menusSetAnOperatorType();
  void aRuleIsWhatSelectingAllIs();
  void aRuleSaysWhatItLeavesOut();
  void aScopeIsSetByARule();
  void figuresAreThoseOfAColdStart();
};

namespace {

TypeSegments& segments(const Workbench& bench) {
  return *bench.window->findChild<TypeSegments*>();
}

void clickSegment(const Workbench& bench, std::size_t place) {
  clickButton(*segments(bench).segments()[place]);
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
  // Its stripe in the graph is notched.
  QVERIFY(bench.graphIsSettled());
  const auto isNotched = [&](std::size_t layer) {
    return bench.canvas().content().looks->boxes[*bench.scene().boxOfLayer(layer)].overridden;
  };
  QVERIFY(isNotched(worst) && !isNotched(worst == 0 ? 10 : 0));
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

void PrecisionOverridesTest::keysAreThoseOfTheSegments_data() {
  QTest::addColumn<QByteArray>("backend");
  for (const char* backend : {"x86", "qnnpack", "onnxruntime", "tensorrt", "generic"}) {
    QTest::newRow(backend) << QByteArray(backend);
  }
}

void PrecisionOverridesTest::keysAreThoseOfTheSegments() {
  QFETCH(QByteArray, backend);
  const Workbench bench;
  if (backend != "x86") useBackend(bench, backend.constData());
  QVERIFY(bench.click(Spot::Graph, quantizedLayers(bench)[0]));
  bench.canvas().setFocus();
  const std::vector<TypeSegment*>& all = segments(bench).segments();
  QCOMPARE(all.size(), std::size_t(4));
  for (const std::size_t i : {3, 2, 1, 0}) {
    const int before = bench->session().undoStack().index();
    const bool can = all[i]->isEnabled();
    QTest::keyClick(&bench.canvas(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i)));
    QCOMPARE(bench->session().undoStack().index() - before, can ? 1 : 0);
    QCOMPARE(all[i]->state() == TypeSegment::State::On, can);
  }
}

// As soon as it is known, while the menu is open too.
void PrecisionOverridesTest::menusShowWhatATypeWins() {
  const Workbench bench;
  PrecisionEditor& editor = bench->session().precision();
  bench->session().selection().selectNode(bench.layer(quantizedLayers(bench)[0]).node);
  QMenu menu;
  addTypes(menu, editor);
  const auto known = [&] {
    return std::ranges::any_of(editor.gains(), [](const auto& gain) { return gain.has_value(); });
  };
  QTRY_VERIFY_WITH_TIMEOUT(known(), 60'000);
  std::size_t place = 0;
  int shown = 0;
  for (const QAction* action : menu.actions()) {
    if (action->isSeparator()) continue;
    const std::optional<ConfigGain> gain = editor.gains()[place];
    const QString title = action->text().section(u'\t', 0, 0);
    if (gain) {
      ++shown;
      QVERIFY2(title.contains(gainWords(*gain)) && title.contains(bytesWords(*gain)),
               qPrintable(title));
      QVERIFY(action->toolTip().contains(gainSentence(*gain)));
    } else {
      QCOMPARE(title, typeTitle(editor.selected().offers[place].type));
    }
    ++place;
  }
  QVERIFY(shown > 0);
}

void PrecisionOverridesTest::menusShowWhatAnOperatorTypeWins() {
  const Workbench bench;
  PrecisionEditor& editor = bench->session().precision();
  bench->session().selection().selectNode(bench.layer(quantizedLayers(bench)[0]).node);
  const std::size_t place = 3;
  QCOMPARE(wholeTypes()[place], QuantType::Float32);
  const auto gainOf = [&] {
    const ConfigGains& gains = editor.operatorGains();
    return place < gains.size() && gains[place] && gains[place]->measured ? gains[place]
                                                                          : std::nullopt;
  };
  QTRY_VERIFY_WITH_TIMEOUT(gainOf().has_value(), 60'000);
  const ConfigGain gain = *gainOf();
  QMenu menu;
  addPrecisionMenu(menu, &editor);
  const QMenu* every = menu.actions().constFirst()->menu()->actions().constLast()->menu();
  const QString title = every->actions()[place]->text();
  QVERIFY2(title.contains(gainWords(gain)) && title.contains(bytesWords(gain)), qPrintable(title));
  // What was said comes true.
  const SnapshotPtr before = bench->session().snapshot();
  every->actions()[place]->trigger();
  bench.waitForEnd();
  const AnalysisResult& after = *bench->session().snapshot()->result;
  QCOMPARE(static_cast<double>(after.summary.quantizedBytes) -
               static_cast<double>(before->result->summary.quantizedBytes),
           gain.bytes);
  QCOMPARE(*worstOutputSqnr(after.outputs) - *worstOutputSqnr(before->result->outputs),
           *gain.gainDb);
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
                          "Binary, Weights, Input, Output, Reset, Copy Precision, Paste Precision, "
                          "Every Conv"));
  QMenu* every = precision->actions().constLast()->menu();
  every->actions()[3]->trigger();
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("set every Conv to float"));
  QCOMPARE(config(bench).opTypes.size(), std::size_t(1));
  QVERIFY(config(bench).opTypes[0].second.float32);
}

// The followers of fused patterns go with their leads, by a rule as by hand.
void PrecisionOverridesTest::aRuleIsWhatSelectingAllIs() {
  const Workbench bench;
  const QStringList quantized = figures(bench);
  const std::vector<NodeId> convs = nodesOf(bench, {QStringLiteral("Conv")});
  bench->session().selection().selectNodes(convs);
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
  const QStringList byHand = figures(bench);
  QVERIFY(byHand != quantized);
  bench.action(ActionId::Undo)->trigger();
  const PrecisionTarget every{PrecisionTarget::Kind::OpType, {"Conv"}};
  bench->session().precision().setTypeOf(every, QuantType::Float32);
  QCOMPARE(config(bench).opTypes.size(), std::size_t(1));
  bench.waitForEnd();
  QCOMPARE(figures(bench), byHand);
  // Without the rule, and quantized by it again, all is as it was.
  auto& overrides = *bench->findChild<OverrideList*>();
  bench->session().apply(overrides.removals().front());
  QVERIFY(config(bench).opTypes.empty() && config(bench).nodes.empty());
  bench.action(ActionId::Undo)->trigger();
  bench->session().precision().setTypeOf(every, QuantType::Int8);
  QVERIFY(config(bench).nodes.empty());
  bench.waitForEnd();
  QCOMPARE(figures(bench), quantized);
}

void PrecisionOverridesTest::aRuleSaysWhatItLeavesOut() {
  const Workbench bench;
  PrecisionEditor& editor = bench->session().precision();
  const PrecisionTarget conv{PrecisionTarget::Kind::OpType, {"Conv"}};
  editor.setTypeOf(conv, QuantType::Int16);
  QCOMPARE(bench.messages(), QStringLiteral("X86 runs Conv in INT8 only."));
  QVERIFY(!bench->session().undoStack().canUndo());
  const std::vector<NodeId> convs = nodesOf(bench, {QStringLiteral("Conv")});
  bench->session().selection().selectNode(convs[0]);
  PrecisionFields perTensor;
  perTensor.weight.granularity = Granularity{};
  editor.setFields(perTensor, QStringLiteral("set"));
  editor.setTypeOf(conv, QuantType::Float32);
  QCOMPARE(bench.messages(), QStringLiteral("Set %1 of %2 layers: %3 has an override of its own.")
                                 .arg(convs.size() - 1)
                                 .arg(convs.size())
                                 .arg(text(bench->session().snapshot()->graph()[convs[0]].name)));
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

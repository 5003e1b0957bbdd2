#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTableView>
#include <QUndoView>
#include <QtTest>

#include "jobs/analysis/config_gains.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/configuration/override_list.h"
#include "widgets/configuration/overrides_model.h"
#include "widgets/configuration/preset_box.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/look/text.h"
#include "widgets/shell/headline_bar.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Edited = AnalysisSnapshot::Edited;

double outputSqnr(const SnapshotPtr& snapshot) {
  return worstOutputSqnr(snapshot->result->outputs).value();
}

HeadlineItem headlineItem(const Workbench& bench, const QString& caption) {
  for (const HeadlineItem& item : bench->headline().items()) {
    if (item.caption == caption) return item;
  }
  return {};
}

// A quantized layer of one node: set to float, it has one entry.
std::size_t singleLayer(const Workbench& bench) {
  std::size_t layer = 0;
  while (bench.layer(layer).members.size() > 1 || !bench.layer(layer).quantized) ++layer;
  return layer;
}

// The text of every section of the inspector, in order.
QStringList inspectorTexts(const Workbench& bench) {
  QStringList texts;
  for (const auto* section : bench->findChildren<InspectorSection*>()) {
    if (!section->isHidden()) texts.push_back(section->key() + ": " + section->asText());
  }
  return texts;
}

InspectorSection& distributionOfTheWorst(const Workbench& bench) {
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  return *bench->findChild<InspectorSection*>(QStringLiteral("distribution"));
}

/// The upper end of the range in the histogram of the worst layer, and the mouse that drags it.
class HandleDrag {
 public:
  explicit HandleDrag(const Workbench& bench)
      : m_section(distributionOfTheWorst(bench)), m_chart(*bench->findChild<HistogramChart*>()) {}

  HistogramChart& chart() const { return m_chart; }
  QString words() const { return m_section.asText().section(u'\n', 0, 0); }
  double high() const { return m_chart.data().gridHigh.value(); }

  // Where the pointer says that there is something to be dragged.
  bool press() {
    const QRectF area = m_chart.chart()->plotArea();
    m_at = {static_cast<int>(area.right()), static_cast<int>(area.center().y())};
    for (; m_at.x() > area.center().x(); m_at.rx() -= 1) {
      move(Qt::NoButton);
      if (m_chart.cursor().shape() != Qt::SizeHorCursor) continue;
      QTest::mousePress(&m_chart, Qt::LeftButton, {}, m_at);
      return true;
    }
    return false;
  }

  void moveBy(int x) {
    m_at.rx() += x;
    move(Qt::LeftButton);
  }

  void release() const { QTest::mouseRelease(&m_chart, Qt::LeftButton, {}, m_at); }

 private:
  void move(Qt::MouseButtons held) const {
    QMouseEvent event(QEvent::MouseMove, m_at, m_chart.mapToGlobal(m_at), Qt::NoButton, held, {});
    QCoreApplication::sendEvent(&m_chart, &event);
  }

  InspectorSection& m_section;
  HistogramChart& m_chart;
  QPoint m_at;
};

void raise(const Workbench& bench, const char* panel) {
  auto* dock = bench.window->findChild<QDockWidget*>(QString::fromLatin1(panel));
  dock->show();
  dock->raise();
}

}  // namespace

/// What follows an edit: figures that sharpen, their change, the list of overrides and the history.
class LiveEditsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ownErrorsComeFirst();
  void theHeadlineShowsTheChange();
  void anEditDuringAnEdit();
  void overridesAreListed();
  void aFusedLayerIsOneOverride();
  void theHistoryGoesToAStep();
  void gainsAreWhatTheClickBrings();
  void aRuleForNamesIsAdded();
  void aDraggedRangeIsOneEdit();
  void aHandleIsDraggedByTheMouse();
  void escGivesADragUp();
  void sectionsOutOfSightFollow();
};

void LiveEditsTest::ownErrorsComeFirst() {
  const Workbench bench("digits_mobilenet", 4);
  AnalysisController& controller = bench->session().controller();
  std::vector<SnapshotPtr> shown;
  connect(&controller, &AnalysisController::snapshotChanged, this,
          [&] { shown.push_back(controller.snapshot()); });
  const std::size_t layer = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(layer).node);
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set weights to per tensor of"));
  bench.waitForEnd();
  QVERIFY(shown.size() >= 3);
  QVERIFY(shown[0]->edited == Edited::OwnErrors);
  QVERIFY(shown[1]->edited == Edited::FirstOutputs);
  const SnapshotPtr& complete = bench->session().snapshot();
  QVERIFY(complete->edited == Edited::All);
  QVERIFY(shown[0]->result->layers[layer].local->total.sqnrDb ==
          complete->result->layers[layer].local->total.sqnrDb);
  QVERIFY(shown[0]->result->summary.quantizedBytes == complete->result->summary.quantizedBytes);
  // The first of all samples.
  QCOMPARE(shown[1]->result->outputs[0].sampleSqnrDb.size(), std::size_t(1));
  QVERIFY(shown[1]->result->outputs[0].sampleSqnrDb[0] ==
          complete->result->outputs[0].sampleSqnrDb[0]);
}

void LiveEditsTest::theHeadlineShowsTheChange() {
  const Workbench bench("digits_mobilenet", 4);
  QVERIFY(headlineItem(bench, QStringLiteral("output SQNR")).change.isEmpty());
  const double before = outputSqnr(bench->session().snapshot());
  const SnapshotPtr first = bench->session().snapshot();
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
  QVERIFY(bench->session().controller().before() == first);
  const double change = outputSqnr(bench->session().snapshot()) - before;
  const HeadlineItem item = headlineItem(bench, QStringLiteral("output SQNR"));
  const QString expected = (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
                           QString::number(std::abs(change), 'f', 1);
  QCOMPARE(item.change, expected);
  QCOMPARE(item.better, change > 0 ? 1 : -1);
  QVERIFY(bench->headline().items().front().value.contains(QStringLiteral(" override")));
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  QVERIFY(outputSqnr(bench->session().snapshot()) == before);
  QVERIFY(headlineItem(bench, QStringLiteral("output SQNR")).better != item.better);
}

void LiveEditsTest::anEditDuringAnEdit() {
  const Workbench bench("digits_mobilenet", 8);
  bench->session().selection().selectNode(bench.layer(singleLayer(bench)).node);
  for (int i = 0; i < 6; ++i) {
    bench->session().precision().setType(i % 2 == 0 ? QuantType::Float32 : QuantType::Int8);
    QTest::qWait(3 * i);
  }
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
  const SnapshotPtr cold = sampleSnapshots(bench->session().request()).back();
  QVERIFY(outputSqnr(bench->session().snapshot()) == outputSqnr(cold));
}

void LiveEditsTest::overridesAreListed() {
  const Workbench bench;
  raise(bench, "configuration");
  auto& panel = *bench->findChild<ConfigurationPanel*>();
  auto& table = *panel.findChild<OverrideList*>()->findChild<QTableView*>();
  auto& preset = *panel.findChild<PresetBox*>();
  const QString plain = preset.shownText();
  QVERIFY(!table.isVisible());
  const std::size_t worst = singleLayer(bench);
  bench->session().selection().selectNode(bench.layer(worst).node);
  bench->session().precision().setType(QuantType::Float32);
  QCOMPARE(preset.shownText(), plain + QStringLiteral(" + 1 override"));
  QVERIFY(table.isVisible());
  QCOMPARE(table.model()->index(0, OverridesModel::kName).data().toString(),
           text(bench.layer(worst).name));
  QCOMPARE(table.model()->index(0, OverridesModel::kPrecision).data().toString(),
           QStringLiteral("FP32"));
  bench->session().selection().clear();
  bench.waitForEnd();
  const auto gain = [&] {
    return table.model()->index(0, OverridesModel::kGain).data(OverridesModel::kRawRole);
  };
  QTRY_VERIFY(gain().isValid());
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                    table.visualRect(table.model()->index(0, OverridesModel::kName)).center());
  QCOMPARE(bench.selectedLayer().value(), worst);
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                    table.visualRect(table.model()->index(0, OverridesModel::kRemove)).center());
  QVERIFY(bench->session().request().config.precision->nodes.empty());
  QCOMPARE(preset.shownText(), plain);
}

void LiveEditsTest::aFusedLayerIsOneOverride() {
  const Workbench bench;
  raise(bench, "configuration");
  auto& list = *bench->findChild<OverrideList*>();
  auto& table = *list.findChild<QTableView*>();
  std::size_t fused = 0;
  while (bench.layer(fused).members.size() < 2) ++fused;
  const LayerResult layer = bench.layer(fused);
  const auto followers = static_cast<int>(layer.members.size()) - 1;
  bench->session().selection().selectNode(layer.node);
  bench->session().precision().setType(QuantType::Float32);
  const PrecisionConfig& config = *bench->session().request().config.precision;
  QCOMPARE(config.nodes.size(), layer.members.size());
  const QModelIndex name = table.model()->index(0, OverridesModel::kName);
  const QString row = QStringLiteral("%1 +%2").arg(text(layer.name)).arg(followers);
  QCOMPARE(table.model()->rowCount(), 1);
  QCOMPARE(name.data().toString(), row);
  QVERIFY(name.data(Qt::ToolTipRole).toString().split(u'\n').size() == followers + 2);
  bench.waitForEnd();
  QVERIFY(bench->headline().items().front().value.endsWith(QStringLiteral(" + 1 override")));
  // Its gain is that of the whole layer, and one click takes it back.
  const auto gain = [&] {
    return table.model()->index(0, OverridesModel::kGain).data(OverridesModel::kRawRole);
  };
  bench->session().selection().clear();
  // An estimate comes first.
  const auto shown = [&] { return table.model()->index(0, OverridesModel::kGain).data(); };
  QTRY_VERIFY(gain().isValid() && !shown().toString().startsWith(u'≈'));
  const double measured = gain().toDouble();
  const double with = outputSqnr(bench->session().snapshot());
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                    table.visualRect(table.model()->index(0, OverridesModel::kRemove)).center());
  QVERIFY(bench->session().request().config.precision->nodes.empty());
  bench.waitForEnd();
  QCOMPARE(with - outputSqnr(bench->session().snapshot()), measured);
  // An entry that a follower has by itself stays a row.
  const Graph& graph = bench->session().snapshot()->graph();
  bench->session().apply(setPrecision(
      bench->session().request().config, graph,
      {PrecisionTarget::Kind::Nodes, {graph[layer.members[1]].name}}, {.float32 = true}));
  QCOMPARE(table.model()->rowCount(), 1);
  QCOMPARE(table.model()->index(0, OverridesModel::kName).data().toString(),
           text(graph[layer.members[1]].name));
}

void LiveEditsTest::theHistoryGoesToAStep() {
  const Workbench bench;
  raise(bench, "history");
  auto& history = *bench->findChild<QUndoView*>();
  bench->session().selection().selectNode(bench.layer(singleLayer(bench)).node);
  bench->session().precision().setType(QuantType::Float32);
  bench->session().precision().reset();
  QCOMPARE(history.model()->rowCount(), 3);
  QCOMPARE(history.model()->index(0, 0).data().toString(), QStringLiteral("As it was opened"));
  QTest::mouseClick(history.viewport(), Qt::LeftButton, {},
                    history.visualRect(history.model()->index(1, 0)).center());
  QCOMPARE(bench->session().document().position(), std::size_t(1));
  QCOMPARE(bench->session().request().config.precision->nodes.size(), std::size_t(1));
}

void LiveEditsTest::gainsAreWhatTheClickBrings() {
  const Workbench bench("digits_mobilenet", 4);
  PrecisionEditor& editor = bench->session().precision();
  bench->session().selection().selectNode(bench.layer(singleLayer(bench)).node);
  constexpr std::size_t kFloat = 3;
  const auto measured = [&] {
    return editor.gains().size() > kFloat && editor.gains()[kFloat] &&
           editor.gains()[kFloat]->measured;
  };
  QTRY_VERIFY(measured());
  const ConfigGain gain = *editor.gains()[kFloat];
  const SnapshotPtr before = bench->session().snapshot();
  editor.setType(QuantType::Float32);
  QVERIFY(editor.gains().empty());
  bench.waitForEnd();
  const SnapshotPtr& after = bench->session().snapshot();
  QVERIFY(gain.gainDb.value() == outputSqnr(after) - outputSqnr(before));
  QVERIFY(gain.bytes == static_cast<double>(after->result->summary.quantizedBytes) -
                            static_cast<double>(before->result->summary.quantizedBytes));
}

void LiveEditsTest::aRuleForNamesIsAdded() {
  const Workbench bench;
  raise(bench, "configuration");
  auto& list = *bench->findChild<OverrideList*>();
  auto& pattern = *list.findChild<QLineEdit*>();
  list.findChild<QComboBox*>()->setCurrentText(QStringLiteral("FP32"));
  pattern.setText(QStringLiteral("nothing is called so"));
  QTest::keyClick(&pattern, Qt::Key_Return);
  QVERIFY2(bench.messages().contains(QStringLiteral("nothing is called so")),
           qPrintable(bench.messages()));
  QVERIFY(!bench->session().undoStack().canUndo());
  // A type that none of the layers takes cannot be chosen, and says why.
  auto& types = *list.findChild<QComboBox*>();
  const auto can = [&](const char* type) {
    const QModelIndex item = types.model()->index(types.findText(QString::fromLatin1(type)), 0);
    return item.flags().testFlag(Qt::ItemIsEnabled);
  };
  pattern.setText(text(bench.layer(singleLayer(bench)).name));
  QVERIFY(!can("INT16") && can("INT8") && can("FP32"));
  QVERIFY2(types.itemData(types.findText(QStringLiteral("INT16")), Qt::ToolTipRole)
               .toString()
               .contains(QStringLiteral("x86 runs ")),
           "a reason");
  pattern.clear();
  QVERIFY(can("INT16"));
  pattern.setText(QStringLiteral(".*"));
  QTest::keyClick(&pattern, Qt::Key_Return);
  QCOMPARE(bench->session().undoStack().undoText(), QStringLiteral("set names like .* to float"));
  QCOMPARE(bench->session().request().config.precision->patterns.size(), std::size_t(1));
}

void LiveEditsTest::aDraggedRangeIsOneEdit() {
  const Workbench bench;
  const std::size_t layer = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(layer).node);
  auto& chart = *bench->findChild<HistogramChart*>();
  QVERIFY(chart.data().movable);
  auto& section = *bench->findChild<InspectorSection*>(QStringLiteral("distribution"));
  const double low = *bench.layer(layer).representableMin;
  const double high = *bench.layer(layer).representableMax / 2;
  Q_EMIT chart.rangeDragged(low, high);
  QVERIFY2(section.asText().contains(QStringLiteral("clipped, about")),
           qPrintable(section.asText()));
  QVERIFY(!bench->session().undoStack().canUndo());
  Q_EMIT chart.rangeChosen(low, high);
  QCOMPARE(bench->session().undoStack().count(), 1);
  QVERIFY2(bench->session().undoStack().undoText().startsWith(
               QStringLiteral("set the output range to ")),
           qPrintable(bench->session().undoStack().undoText()));
  bench.waitForEnd();
  QVERIFY2(std::abs(*bench.layer(layer).representableMax - high) < 0.05 * high,
           qPrintable(bench.messages()));
  QVERIFY(*bench.layer(layer).clippedShare > 0);
}

void LiveEditsTest::aHandleIsDraggedByTheMouse() {
  const Workbench bench;
  HandleDrag drag(bench);
  QVERIFY(drag.press());
  QStringList words{drag.words()};
  for (int i = 1; i <= 10; ++i) {
    drag.moveBy(-4);
    QVERIFY2(drag.words().contains(QStringLiteral("clipped, about")), qPrintable(drag.words()));
    QVERIFY2(!words.contains(drag.words()), qPrintable(drag.words()));
    words << drag.words();
    QVERIFY(!bench->session().undoStack().canUndo());
  }
  const double high = drag.high();
  drag.release();
  QCOMPARE(bench->session().undoStack().count(), 1);
  QVERIFY2(bench->session().undoStack().undoText().startsWith(
               QStringLiteral("set the output range to ")),
           qPrintable(bench->session().undoStack().undoText()));
  const auto nodes = [&] { return bench->session().request().config.precision->nodes; };
  QCOMPARE(nodes().size(), std::size_t(1));
  QVERIFY(nodes()[0].second.output.range->high == static_cast<float>(high));
  bench.action(ActionId::Undo)->trigger();
  QVERIFY(nodes().empty());
  QVERIFY(!bench->session().undoStack().canUndo());
}

void LiveEditsTest::escGivesADragUp() {
  const Workbench bench;
  HandleDrag drag(bench);
  const QString words = drag.words();
  const double high = drag.high();
  const NodeId node = bench->session().selection().current().node;
  QVERIFY(drag.press());
  for (int i = 0; i < 5; ++i) drag.moveBy(-8);
  QVERIFY(drag.words() != words);
  QTest::keyClick(&drag.chart(), Qt::Key_Escape);
  QCOMPARE(drag.words(), words);
  QVERIFY(drag.high() == high);
  // The rest of the way means nothing any more.
  drag.moveBy(-8);
  drag.release();
  QCOMPARE(drag.words(), words);
  QVERIFY(drag.high() == high);
  QVERIFY(!bench->session().undoStack().canUndo());
  QVERIFY(bench->session().selection().current().node == node);
  // The next one begins anew, and without one Esc clears the selection as ever.
  QVERIFY(drag.press());
  drag.moveBy(-8);
  drag.release();
  QCOMPARE(bench->session().undoStack().count(), 1);
  QTest::keyClick(&drag.chart(), Qt::Key_Escape);
  QVERIFY(!bench->session().selection().current().node.valid());
}

// What is scrolled out of sight is refreshed after what is seen: it must end as if it were opened
// anew.
void LiveEditsTest::sectionsOutOfSightFollow() {
  const Workbench bench;
  bench->resize(1280, 800);
  const std::size_t layer = bench.worstLayer();
  const NodeId node = bench.layer(layer).node;
  bench->session().selection().selectNode(node);
  const QStringList before = inspectorTexts(bench);
  QVERIFY(before.size() > 4);
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set weights to per tensor of"));
  bench.waitForEnd();
  QTest::qWait(200);
  const QStringList followed = inspectorTexts(bench);
  QVERIFY(followed != before);
  bench->session().selection().clear();
  bench->session().selection().selectNode(node);
  QCOMPARE(followed, inspectorTexts(bench));
}

QUANTSCOPE_TEST(LiveEditsTest)
#include "test_live_edits.moc"

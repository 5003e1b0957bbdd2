#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "ui/workbench.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/controls/command_palette.h"
#include "widgets/controls/range_fields.h"
#include "widgets/controls/search_results.h"
#include "widgets/controls/segments.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/look/calm_style.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QString distribution(const Workbench& bench) {
  return bench->findChild<InspectorSection*>(QStringLiteral("distribution"))->asText();
}

void type(QLineEdit& field, const QString& words) {
  field.setFocus();
  field.selectAll();
  QTest::keyClicks(&field, words);
}

}  // namespace

/// Typed text gets an answer: a list, a count, or a sentence.
class SearchAndWordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSearchListsAndCounts();
  void theHitsAreOfTheModel();
  void thePaletteSaysThatNothingMatches();
  void thePaletteHasThePresets();
  void unknownOperatorsAreToldBeforeData();
  void aRangeIsTypedOrRefused();
  void aDraggedRangeForeseesTheOutputs();
  void theFocusIsOnWhatIsOn();
  void choicesHaveRowsLikeMenus();
};

void SearchAndWordsTest::theSearchListsAndCounts() {
  const Workbench bench;
  QLineEdit& field = *bench->toolBar().search();
  auto& results = *bench->findChild<SearchResults*>();
  QVERIFY(!results.isVisible());
  type(field, QStringLiteral("conv"));
  QTRY_VERIFY(results.isVisible());
  const int rows = results.list()->model()->rowCount();
  QVERIFY(rows > 3);
  QCOMPARE(results.countWords(), QStringLiteral("%1 matches").arg(rows));
  const QRect second = results.list()->visualRect(results.list()->model()->index(1, 0));
  QTest::mouseClick(results.list()->viewport(), Qt::LeftButton, {}, second.center());
  QVERIFY(bench.selectedLayer().has_value());
  QCOMPARE(results.countWords(), QStringLiteral("2 of %1").arg(rows));
  QTest::keyClick(&field, Qt::Key_Down);
  QCOMPARE(results.countWords(), QStringLiteral("3 of %1").arg(rows));
  type(field, QStringLiteral("zzz"));
  QCOMPARE(results.countWords(), QStringLiteral("No match"));
  QTest::keyClick(&field, Qt::Key_Escape);
  QTRY_VERIFY(!results.isVisible());
}

void SearchAndWordsTest::theHitsAreOfTheModel() {
  const Workbench bench;
  auto& results = *bench->findChild<SearchResults*>();
  type(*bench->toolBar().search(), QStringLiteral("conv"));
  QTRY_VERIFY(results.isVisible());
  const int rows = results.list()->model()->rowCount();
  bench->session().open(sampleRequest("digits_transformer", 2));
  QTRY_VERIFY_WITH_TIMEOUT(bench->session().settled(), 60'000);
  QVERIFY(results.list()->model()->rowCount() < rows);
}

void SearchAndWordsTest::thePaletteSaysThatNothingMatches() {
  const Workbench bench;
  bench.action(ActionId::Commands)->trigger();
  CommandPalette& palette = bench->palettePopup();
  QVERIFY(palette.list()->isVisible());
  QTest::keyClicks(palette.field(), QStringLiteral("qqqq"));
  QVERIFY(!palette.list()->isVisible());
  const auto labels = palette.findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->isVisible() && label->text().contains(QStringLiteral("qqqq"));
  }));
  // What needs a selection is told of.
  palette.field()->setText(QStringLiteral("fp32"));
  QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->isVisible() &&
           label->text().startsWith(QStringLiteral("“Set to FP32” is not possible now."));
  }));
}

void SearchAndWordsTest::thePaletteHasThePresets() {
  const Workbench bench;
  const QList<QAction*>& presets = bench->findChild<ConfigurationPanel*>()->presetActions();
  QVERIFY(presets.size() > 2);
  bench.action(ActionId::Commands)->trigger();
  CommandPalette& palette = bench->palettePopup();
  QAction* other = *std::ranges::find_if(presets, [](QAction* one) { return !one->isChecked(); });
  QTest::keyClicks(palette.field(), other->text());
  QTest::keyClick(palette.field(), Qt::Key_Return);
  QVERIFY2(bench->session().undoStack().undoText().contains(other->text()),
           qPrintable(bench->session().undoStack().undoText()));
  QVERIFY(other->isChecked());
}

void SearchAndWordsTest::unknownOperatorsAreToldBeforeData() {
  const QTemporaryDir folder;
  OnnxGraph graph;
  graph.nodes = {{"Wobble", {"x"}, {"y"}, "odd", {}, ""}, {"Relu", {"y"}, {"z"}, "fine", {}, ""}};
  graph.inputs = {"x"};
  graph.outputs = {"z"};
  const std::string file = writeFile(folder, QStringLiteral("odd.onnx"), onnxModel(graph));
  const TestWindow window;
  window->opener().openModel(QString::fromStdString(file));
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Structure);
  QVERIFY2(window.messages().contains(QStringLiteral("odd (operator Wobble")),
           qPrintable(window.messages()));
}

void SearchAndWordsTest::aRangeIsTypedOrRefused() {
  const Workbench bench;
  const std::size_t layer = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(layer).node);
  auto& section = *bench->findChild<InspectorSection*>(QStringLiteral("distribution"));
  auto& range = *section.findChild<RangeFields*>();
  QVERIFY(range.isVisibleTo(range.window()));
  const QList<QLineEdit*> fields = range.findChildren<QLineEdit*>();
  QCOMPARE(fields.size(), 2);
  const auto enter = [&](const QString& low, const QString& high) {
    type(*fields[0], low);
    type(*fields[1], high);
    QTest::keyClick(fields[1], Qt::Key_Return);
  };
  enter(QStringLiteral("2"), QStringLiteral("1.5"));
  QVERIFY2(range.problem().contains(QStringLiteral("2.00 is not less than 1.50")),
           qPrintable(range.problem()));
  enter(QStringLiteral("1"), QStringLiteral("much"));
  QVERIFY2(range.problem().contains(QStringLiteral("much")), qPrintable(range.problem()));
  QVERIFY(!bench->session().undoStack().canUndo());
  enter(QStringLiteral("0"), QStringLiteral("1.5"));
  QVERIFY(range.problem().isEmpty());
  QCOMPARE(bench->session().undoStack().count(), 1);
  bench.waitForEnd();
  QVERIFY(std::abs(*bench.layer(layer).representableMax - 1.5) < 0.1);
  auto& observed = *range.findChild<QToolButton*>();
  QVERIFY(observed.isVisibleTo(&section));
  observed.click();
  QTRY_VERIFY(!observed.isVisibleTo(&section));
  QVERIFY(bench->session().request().config.precision->nodes.empty());
}

void SearchAndWordsTest::aDraggedRangeForeseesTheOutputs() {
  const Workbench bench;
  const std::size_t layer = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(layer).node);
  auto& chart = *bench->findChild<HistogramChart*>();
  const double low = *bench.layer(layer).representableMin;
  const double high = *bench.layer(layer).representableMax;
  for (int step = 1; step <= 4; ++step) {
    Q_EMIT chart.rangeDragged(low, high * (1 - 0.1 * step));
    QVERIFY(distribution(bench).contains(QStringLiteral("clipped, about")));
  }
  QTRY_VERIFY2(distribution(bench).contains(QStringLiteral("; outputs ")),
               qPrintable(distribution(bench)));
  QVERIFY(!bench->session().undoStack().canUndo());
}

void SearchAndWordsTest::theFocusIsOnWhatIsOn() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Heatmap));
  bench.view<HeatmapView>().setMode(HeatmapMode::Channels);
  auto& segments = *bench.view<HeatmapView>().findChild<Segments*>();
  const QList<QToolButton*> buttons = segments.findChildren<QToolButton*>();
  bench.heatmap().setFocus();
  buttons[0]->setFocus(Qt::TabFocusReason);
  QVERIFY(buttons[2]->hasFocus());
  bench.view<HeatmapView>().setMode(HeatmapMode::Samples);
  QVERIFY(buttons[1]->hasFocus());
}

void SearchAndWordsTest::choicesHaveRowsLikeMenus() {
  const Workbench bench;
  QComboBox& metrics = *bench->toolBar().metrics();
  auto* style = new CalmStyle;
  style->setParent(&metrics);
  metrics.setStyle(style);
  metrics.view()->setStyle(style);
  metrics.showPopup();
  QVERIFY(metrics.view()->sizeHintForRow(0) >= 26);
  metrics.hidePopup();
}

QUANTSCOPE_TEST(SearchAndWordsTest)
#include "test_search_and_words.moc"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableWidget>
#include <QtTest>
#include <limits>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/controls/segments.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_bar.h"
#include "widgets/sensitivity/sensitivity_model.h"
#include "widgets/sensitivity/types_button.h"
#include "widgets/sensitivity/widening_pane.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/estimate_words.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Model = SensitivityModel;

SensitivityRow measuredRow(const std::string& node, double sqnrDb) {
  SensitivityRow row;
  row.node = node;
  OutputResult& output = row.outputs.emplace_back();
  output.value = "scores";
  output.error.count = 1;
  output.error.sqnrDb = sqnrDb;
  return row;
}

SensitivityRow estimatedRow(const std::string& node, double sqnrDb) {
  SensitivityRow row = measuredRow(node, sqnrDb);
  row.estimated = true;
  return row;
}

SensitivityRow withoutGradient(const std::string& node) {
  SensitivityRow row = estimatedRow(node, 0);
  row.outputs.front().error = {};
  row.refused = "gradient not available: Loop 'steps': the operator has none";
  return row;
}

/// One measured row, one estimated, one ranked on few samples.
SensitivityState threeRows() {
  const AnalysisResult& result = *sampleSnapshot()->result;
  const auto named = [&](std::size_t layer) { return result.layers[layer].name; };
  SensitivityState state;
  state.baseline = result.outputs;
  state.rows = {measuredRow(named(0), 20.5)};
  state.waiting = {{.node = named(1), .sqnrDb = 31.25, .estimated = true},
                   {.node = named(2), .sqnrDb = 40}};
  state.rankedOn = 2;
  state.estimates = {estimatedRow(named(0), 21.5), estimatedRow(named(1), 31.25),
                     withoutGradient(named(2))};
  state.estimatedOn = 6;
  return state;
}

}  // namespace

class SensitivityRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsNotMeasuredSaysWhatItIs();
  void notes_data();
  void notes();
  void aBudgetTakesTheBest();
  void theKneeIsProposed();
  void typesOfAnotherModelStayChosen();
  void aTypeThatNoLayerCanTakeIsUncheckedAndSaysWhy();
  void theButtonsOfANarrowBarDoNotOverlap();
  void segmentsWithoutRoomStandBelowEachOther();
  void onlyWhatChangesSomethingCanBeAdopted();
  void reasonsAreWhole();
  void whatIsFoundDoesNotOverlap();
};

void SensitivityRowsTest::whatIsNotMeasuredSaysWhatItIs() {
  SensitivityModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.setState(sampleSnapshot(), std::make_shared<const SensitivityState>(threeRows()));
  QCOMPARE(model.rowCount(), 3);
  const auto cell = [&](int row, int column, int role) {
    return model.index(row, column).data(role);
  };
  const auto tip = [&](int row) { return cell(row, Model::kWorst, Qt::ToolTipRole).toString(); };
  QVERIFY(!cell(0, Model::kWorst, Model::kWaitsRole).toBool());
  QCOMPARE(cell(0, Model::kWorst, kExactRole).toDouble(), 20.5);
  QVERIFY2(tip(0).endsWith(QStringLiteral("estimated before: 21.5 dB")), qPrintable(tip(0)));
  QVERIFY(cell(1, Model::kWorst, Model::kWaitsRole).toBool());
  QCOMPARE(cell(1, Model::kWorst, kExactRole).toDouble(), 31.25);
  QCOMPARE(cell(1, Model::kSamples, kExactRole).toInt(), 6);
  QCOMPARE(tip(1), estimateSentence(6));
  QVERIFY(cell(2, Model::kWorst, Model::kWaitsRole).toBool());
  QCOMPARE(cell(2, Model::kSamples, kExactRole).toInt(), 2);
  QVERIFY2(tip(2).startsWith(QStringLiteral("Not measured yet")), qPrintable(tip(2)));
  QVERIFY2(tip(2).endsWith(QStringLiteral("Loop 'steps': the operator has none")),
           qPrintable(tip(2)));
}

void SensitivityRowsTest::notes_data() {
  QTest::addColumn<SensitivityState>("state");
  QTest::addColumn<QString>("expected");
  QTest::newRow("nothing known") << SensitivityState() << QString();
  SensitivityState none;
  none.notEstimated = "the network has no output of real numbers, so no gradient";
  QTest::newRow("no output")
      << none << "No estimates: the network has no output of real numbers, so no gradient.";
  SensitivityState state = threeRows();
  const QString rest =
      " 1 row has no estimate: gradient not available: Loop 'steps': the operator has none.";
  QTest::newRow("estimated") << state << "≈ is estimated from gradients on 6 samples." + rest;
  state.quality = {.rows = 2, .spearman = 1, .medianErrorDb = 0};
  QTest::newRow("too few") << state << "≈ is estimated from gradients on 6 samples." + rest;
  state.quality = {.rows = 24, .spearman = 0.984, .medianErrorDb = 0.62};
  QTest::newRow("agree")
      << state << "Estimates agree with 24 measured rows: ρ 0.98, 0.6 dB off in the median." + rest;
  state.estimates.pop_back();
  state.quality = {.rows = 24, .spearman = -0.2, .medianErrorDb = std::nullopt};
  QTest::newRow("disagree") << state << "Estimates disagree with 24 measured rows: ρ −0.20.";
}

void SensitivityRowsTest::notes() {
  QFETCH(const SensitivityState, state);
  QFETCH(const QString, expected);
  QCOMPARE(estimateNote(state), expected);
}

// Also where what the search has chosen is beaten by what costs less.
void SensitivityRowsTest::aBudgetTakesTheBest() {
  std::vector<FrontPoint> front;
  for (const auto& [bytes, sqnrDb] : {std::pair(100.0, 10.0), {200, 30}, {300, 20}, {400, 40}}) {
    FrontPoint& added = front.emplace_back();
    added.point.bytes = bytes;
    added.point.sqnrDb = sqnrDb;
    added.config.precision.edit([bytes = bytes](PrecisionConfig& precision) {
      precision.calibrationSamples = static_cast<std::size_t>(bytes);
    });
  }
  front[2].chosen = true;
  FrontPane pane;
  pane.setFront(front, FrontCost::Bytes);
  QString words;
  for (const QLabel* label : pane.findChildren<QLabel*>()) words += label->text() + u'\n';
  QVERIFY2(words.contains(QStringLiteral("3 configuration")), qPrintable(words));
  const QSignalSpy previewed(&pane, &FrontPane::previewRequested);
  auto& budget = *pane.findChild<QSlider*>();
  const auto within = [&](int percent) {
    budget.setValue(percent);
    return pane.current();
  };
  QCOMPARE(within(80), 1);  // at most 303 bytes
  QCOMPARE(within(40), 0);
  QCOMPARE(within(100), 3);
  QCOMPARE(previewed.count(), 3);
}

// All layers in float lose nothing, which is no advice.
void SensitivityRowsTest::theKneeIsProposed() {
  const auto point = [](std::size_t count, double sqnrDb, double bytes) {
    WideningPoint added{.count = count, .point = {}};
    added.point.sqnrDb = sqnrDb;
    added.point.bytes = bytes;
    return added;
  };
  WideningCurve curve{point(0, 20, 100), point(1, 30, 110), point(2, 31, 200), point(3, 40, 400),
                      point(4, std::numeric_limits<double>::infinity(), 420)};
  WideningPane pane;
  pane.setCurve(curve, 4, {});
  QVERIFY(pane.current() != nullptr);
  QCOMPARE(pane.current()->count, std::size_t{1});
  QVERIFY(!pane.chosenCount());
  // The user's own choice stays while more is measured.
  Q_EMIT pane.chart().picked(2);
  curve.push_back(point(5, 60, 421));
  pane.setCurve(curve, 5, {});
  QCOMPARE(pane.current()->count, std::size_t{2});
}

void SensitivityRowsTest::typesOfAnotherModelStayChosen() {
  TypesButton button;
  const std::vector<QuantType> chosen{QuantType::Int8, QuantType::Float16, QuantType::Float32};
  button.setTypes(chosen);
  for (QAction* each : button.menu()->actions()) {
    if (each->text() == typeTitle(QuantType::Float16)) each->setEnabled(false);
  }
  QCOMPARE(button.types(), (std::vector{QuantType::Int8, QuantType::Float32}));
  QCOMPARE(button.chosenTypes(), chosen);
}

// Chosen for another model, they look as they count here.
void SensitivityRowsTest::aTypeThatNoLayerCanTakeIsUncheckedAndSaysWhy() {
  const AnalysisSnapshot& snapshot = *sampleSnapshot();
  const TypeChoices choices(snapshot.model.engine, snapshot.request.config, snapshot.quantized);
  TypesButton button;
  const std::vector<QuantType> all = [] {
    const auto whole = wholeTypes();
    return std::vector<QuantType>(whole.begin(), whole.end());
  }();
  button.setTypes(all);
  button.setChoices(&choices);
  int refused = 0;
  for (const QAction* each : button.menu()->actions()) {
    QCOMPARE(each->isChecked(), each->isEnabled());
    if (each->isEnabled()) continue;
    ++refused;
    QVERIFY2(each->toolTip().contains(QStringLiteral("x86")), qPrintable(each->toolTip()));
  }
  QVERIFY(refused > 0);
  button.setChoices(nullptr);
  for (const QAction* each : button.menu()->actions()) QVERIFY(each->isChecked());
  QCOMPARE(button.chosenTypes(), all);
}

// A pane beside two wide panels.
void SensitivityRowsTest::theButtonsOfANarrowBarDoNotOverlap() {
  SensitivityBar bar;
  bar.setStatus({}, false, false);
  bar.resize(bar.minimumWidth(), 170);
  bar.show();
  QVERIFY(QTest::qWaitForWindowExposed(&bar));
  QList<QRect> places;
  for (const QAbstractButton* each : bar.findChildren<QAbstractButton*>()) {
    const QRect place(each->mapTo(&bar, QPoint()), each->size());
    QVERIFY2(each->width() >= each->sizeHint().width(), qPrintable(each->text()));
    QVERIFY2(bar.rect().contains(place), qPrintable(each->text()));
    for (const QRect& other : places) QVERIFY2(!place.intersects(other), qPrintable(each->text()));
    places << place;
  }
  const auto* start = bar.findChild<QPushButton*>();
  QCOMPARE(start->mapTo(&bar, QPoint()).y(), places.front().y());
}

void SensitivityRowsTest::segmentsWithoutRoomStandBelowEachOther() {
  QAction first(QStringLiteral("On samples"));
  QAction second(QStringLiteral("By profiles, without data"));
  Segments segments;
  for (QAction* each : {&first, &second}) segments.addAction(each, each->text());
  const QSize line = segments.sizeHint();
  segments.resize(line);
  segments.show();
  QVERIFY(QTest::qWaitForWindowExposed(&segments));
  const auto buttons = segments.findChildren<QToolButton*>();
  QTRY_VERIFY(buttons[0]->y() == buttons[1]->y() && buttons[0]->x() < buttons[1]->x());
  const int narrow = line.width() - 20;
  QVERIFY(segments.heightForWidth(narrow) > line.height());
  segments.setMinimumSize(1, 1);
  segments.resize(narrow, segments.heightForWidth(narrow));
  QTRY_VERIFY(buttons[1]->y() >= buttons[0]->geometry().bottom());
}

void SensitivityRowsTest::onlyWhatChangesSomethingCanBeAdopted() {
  FrontPoint small;
  small.point.bytes = 100;
  FrontPoint large;
  large.point.bytes = 200;
  large.config.precision.edit([](PrecisionConfig& config) { config.defaults.float32 = true; });
  FrontPane pane;
  pane.setConfiguration(small.config);
  pane.setFront({small, large}, FrontCost::Bytes);
  QVERIFY(!pane.canAdopt());
  Q_EMIT pane.chart().picked(0);
  QVERIFY(!pane.canAdopt());
  Q_EMIT pane.chart().picked(1);
  QVERIFY(pane.canAdopt());
  pane.setConfiguration(large.config);
  QVERIFY(!pane.canAdopt());
  pane.setConfiguration(small.config);
  pane.setStatus({.running = false, .words = QStringLiteral("no"), .failed = true}, true);
  QVERIFY(!pane.canAdopt());
}

// They differ in their ends.
void SensitivityRowsTest::reasonsAreWhole() {
  FrontPoint found;
  found.point.bytes = 100;
  ChoiceReason why;
  why.node = "/f0/Pow_6";
  why.scheme = "fp32";
  why.text =
      "alone in fp32 the outputs are exact; in int8 the worst output is at 3.2 dB, which is too "
      "little for the budget of this search";
  found.why.push_back(why);
  FrontPane pane;
  pane.setFront({found}, FrontCost::Bytes);
  Q_EMIT pane.chart().picked(0);
  pane.resize(420, 700);
  pane.show();
  QVERIFY(QTest::qWaitForWindowExposed(&pane));
  const auto& table = *pane.findChild<QTableWidget*>();
  const QTableWidgetItem& reason = *table.item(0, 2);
  const QRect wanted = table.fontMetrics().boundingRect(QRect(0, 0, table.columnWidth(2), 1000),
                                                        Qt::TextWordWrap, reason.text());
  QVERIFY(wanted.height() > 2 * table.fontMetrics().height());
  QTRY_VERIFY(table.rowHeight(0) >= wanted.height());
  QVERIFY(table.columnViewportPosition(2) + table.columnWidth(2) <= table.viewport()->width());
}

// In the room of a small window.
void SensitivityRowsTest::whatIsFoundDoesNotOverlap() {
  FrontPoint found;
  found.point.bytes = 100;
  found.point.sqnrDb = 10;
  FrontPane pane;
  pane.setFront({found}, FrontCost::Bytes);
  Q_EMIT pane.chart().picked(0);
  pane.setMinimumSize(1, 1);
  pane.resize(340, 340);
  pane.show();
  QVERIFY(QTest::qWaitForWindowExposed(&pane));
  QList<QRect> places;
  for (const QWidget* each : std::initializer_list<const QWidget*>{
           &pane.chart(), pane.findChild<QSlider*>(), pane.findChild<QTableWidget*>()}) {
    const QRect place(each->mapTo(&pane, QPoint()), each->size());
    QVERIFY(each->height() >= each->minimumSizeHint().height());
    for (const QRect& other : places) QVERIFY(!place.intersects(other));
    places << place;
  }
}

QUANTSCOPE_TEST(SensitivityRowsTest)
#include "test_sensitivity_rows.moc"

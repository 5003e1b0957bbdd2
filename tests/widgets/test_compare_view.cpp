#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QSet>
#include <QTableWidget>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QValueAxis>
#include <QtTest>
#include <cmath>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/compare/compare_view.h"

using namespace quantscope;
using namespace quantscope::test;

/// Two configurations side by side.
class CompareViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theWorstOutputIsCompared();
  void whatComesLaterIsShown();
  void theTableIsCopied();
  void theChartIsAPicture();
  void theChartSpansItsPoints();
  void layersInFloatCountAsExact();
};

namespace {

// A second output, which is worse by so much.
std::shared_ptr<AnalysisResult> withWorseOutput(double lessDb) {
  auto result = std::make_shared<AnalysisResult>(*sampleSnapshot()->result);
  OutputResult second = result->outputs.front();
  second.value = "second";
  *second.error.sqnrDb -= lessDb;
  for (float& sample : second.sampleSqnrDb) sample -= static_cast<float>(lessDb);
  result->outputs.push_back(std::move(second));
  return result;
}

struct Comparing {
  Selection selection;
  DisplayOptions options;
  CompareView view{ViewContext{&selection, &options}};
  QTableWidget& table = *view.findChild<QTableWidget*>();
  ScatterChart& chart = *view.findChild<ScatterChart*>();

  Comparing() {
    auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
    snapshot->result = withWorseOutput(10);
    view.resize(1000, 600);
    view.setSnapshot(snapshot);
    options.setOther(withWorseOutput(14));
    view.show();
  }
};

QAction* actionOf(const QWidget& widget, const QString& text) {
  for (QAction* action : widget.actions()) {
    if (action->text().remove(u'&') == text) return action;
  }
  qFatal("no action %s", qPrintable(text));
}

}  // namespace

void CompareViewTest::theWorstOutputIsCompared() {
  const Comparing comparing;
  const auto labels = comparing.view.findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->isVisible() && label->text().contains(QStringLiteral("worst output, second"));
  }));
  QVERIFY(comparing.table.rowCount() > 1);
  for (int row = 0; row < comparing.table.rowCount(); ++row) {
    QCOMPARE(comparing.table.item(row, 6)->text(), QStringLiteral("+4.0"));
  }
}

// What is compared with may have to be measured first.
void CompareViewTest::whatComesLaterIsShown() {
  Comparing comparing;
  comparing.options.setOther(withWorseOutput(12));
  QCOMPARE(comparing.table.item(0, 6)->text(), QStringLiteral("+2.0"));
  comparing.options.setOther(nullptr);
  QVERIFY(!comparing.table.isVisible());
  QCOMPARE(comparing.table.rowCount(), 0);
  QVERIFY(comparing.chart.points().empty());
}

void CompareViewTest::theTableIsCopied() {
  const Comparing comparing;
  actionOf(comparing.table, QStringLiteral("Copy Table"))->trigger();
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n');
  QCOMPARE(lines.constFirst().section(u'\t', 0, 0), QStringLiteral("Sample"));
  QVERIFY(lines.size() > comparing.table.rowCount());
  const auto sample = lines[1].section(u'\t', 0, 0).toULongLong();
  const float exact = withWorseOutput(10)->outputs[1].sampleSqnrDb[sample];
  QCOMPARE(lines[1].section(u'\t', 4, 4).toDouble(), static_cast<double>(exact));
  QVERIFY(actionOf(comparing.table, QStringLiteral("Save Table As…"))->isEnabled());
}

void CompareViewTest::theChartIsAPicture() {
  const Comparing comparing;
  QVERIFY(actionOf(comparing.chart, QStringLiteral("Save Picture As…"))->isEnabled());
  QGuiApplication::clipboard()->clear();
  actionOf(comparing.chart, QStringLiteral("Copy Picture"))->trigger();
  const QImage copied = QGuiApplication::clipboard()->image();
  QVERIFY(copied.width() >= comparing.chart.width());
  QSet<QRgb> colours;
  for (int x = 0; x < copied.width(); ++x) colours.insert(copied.pixel(x, copied.height() / 2));
  QVERIFY(colours.size() > 2);
  ScatterChart empty(QStringLiteral("empty"));
  QVERIFY(empty.picture(QStringLiteral("empty")).size.isEmpty());
}

// Both axes, from the least figure of either to the largest.
void CompareViewTest::theChartSpansItsPoints() {
  ScatterChart chart(QStringLiteral("points"));
  chart.setPoints({{25.5, 31}, {28, 24.75}, {26, 27}, {std::nan(""), 900}});
  const auto axes = chart.findChild<QChartView*>()->chart()->axes();
  QCOMPARE(axes.size(), 2);
  for (const QAbstractAxis* each : axes) {
    const auto& axis = *qobject_cast<const QValueAxis*>(each);
    QVERIFY2(axis.min() <= 24.75 && axis.min() > 15, QByteArray::number(axis.min()));
    QVERIFY2(axis.max() >= 31 && axis.max() < 41, QByteArray::number(axis.max()));
  }
}

// B makes no error in its float layers, so it is better there.
void CompareViewTest::layersInFloatCountAsExact() {
  const SnapshotPtr snapshot = sampleSnapshot();
  auto other = std::make_shared<AnalysisResult>(*snapshot->result);
  int inFloat = 0;
  for (LayerResult& layer : other->layers) {
    if (!layer.local || !layer.local->total.sqnrDb || inFloat == 3) continue;
    layer.local.reset();
    layer.quantized = false;
    ++inFloat;
  }
  QCOMPARE(inFloat, 3);
  Selection selection;
  DisplayOptions options;
  CompareView view{ViewContext{&selection, &options}};
  options.setKind(ErrorKind::Local);
  view.setSnapshot(snapshot);
  options.setOther(other);
  view.resize(1000, 600);
  view.show();
  const auto labels = view.findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->text().contains(
        QStringLiteral("A is better: 0 layers; below it B: 3. Of these, 3 "));
  }));
}

QUANTSCOPE_TEST(CompareViewTest)
#include "test_compare_view.moc"

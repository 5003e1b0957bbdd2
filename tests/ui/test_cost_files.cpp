#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/cost/cost_table.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "ui/workbench.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/costs_button.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr int kMostPatience = 120'000;

QString wordsIn(const QWidget& widget) {
  QStringList words;
  for (const QLabel* label : widget.findChildren<QLabel*>()) words << label->text();
  return words.join(u'\n');
}

/// The Search pane with a budget of time.
struct TimedPane : Workbench {
  TimedPane() : Workbench("digits_mobilenet", 4) {
    action(ActionId::ShowSensitivity)->trigger();
    view<SensitivityView>().findChild<QTabWidget*>()->setCurrentWidget(&pane());
    pane().budget().setGoal({SearchGoal::Kind::Speedup, 1.2});
  }

  FrontPane& pane() const { return view<SensitivityView>().front(); }
  CostsButton& costs() const { return pane().costs(); }

  void choose(const std::string& file) const {
    dialogs->costs = text(file);
    costs().menu()->actions().front()->trigger();
  }
  void search() const {
    auto* button = pane().findChildren<QPushButton*>().front();
    clickButton(*button);
    QTRY_VERIFY_WITH_TIMEOUT(button->text() == QStringLiteral("Search"), kMostPatience);
  }
  // 40 µs in float, 10 µs in int8, and nothing for conversions.
  std::string table() const {
    CostTable table;
    const SnapshotPtr& shown = (*this)->session().snapshot();
    for (const LayerQuantization& layer : shown->quantized->layers) {
      table.layers[shown->graph()[layer.layer.lead()].name] = {{QuantType::Float32, {40}},
                                                               {QuantType::Int8, {10}}};
    }
    return toJson(table).dump();
  }
};

}  // namespace

/// Times of another machine in the window's search.
class CostFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void timesOfAFile();
  void mistakesAreShown();
  void belongToTheirModel();
};

void CostFilesTest::timesOfAFile() {
  const QTemporaryDir folder;
  const TimedPane bench;
  QCOMPARE(bench.costs().text(), QStringLiteral("This machine"));
  bench.choose(writeFile(folder, "phone.json", bench.table()));
  QCOMPARE(bench.costs().text(), QStringLiteral("phone.json"));
  bench.search();
  QVERIFY2(bench.pane().current() >= 0, qPrintable(wordsIn(bench.pane())));
  for (const FrontPoint& each : bench.pane().front()) {
    const double microseconds = each.point.microseconds.value();
    QVERIFY(microseconds > 0 && std::fmod(microseconds, 10) == 0);
  }
  QVERIFY(
      wordsIn(bench.pane()).contains(QStringLiteral("the cost table has no"), Qt::CaseInsensitive));
  QVERIFY(wordsIn(bench.pane()).contains(QStringLiteral("chosen by the search")));
  bench.costs().menu()->actions().back()->trigger();
  QVERIFY2(wordsIn(bench.pane()).contains(QStringLiteral("found for other times: search anew")),
           qPrintable(wordsIn(bench.pane())));
  QVERIFY(!wordsIn(bench.pane()).contains(QStringLiteral("chosen by the search")));
  // Nothing is asked of time, so that nothing is said of its source.
  QVERIFY(bench.costs().isVisible());
  bench.pane().budget().setGoal({SearchGoal::Kind::Bits, 12});
  QVERIFY(!bench.costs().isVisible());
}

void CostFilesTest::mistakesAreShown() {
  const QTemporaryDir folder;
  const TimedPane bench;
  bench.choose(writeFile(folder, "bad.json", R"({"quantscope_cost": 1, "layers": {}})"));
  bench.search();
  const QString words = wordsIn(bench.pane());
  QVERIFY2(words.contains(QStringLiteral("has no entry for")) &&
               words.contains(QStringLiteral("bench layers")),
           qPrintable(words));
  bench.costs().menu()->actions().back()->trigger();
  QCOMPARE(bench.costs().text(), QStringLiteral("This machine"));
  QVERIFY(!wordsIn(bench.pane()).contains(QStringLiteral("has no entry for")));
}

void CostFilesTest::belongToTheirModel() {
  const QTemporaryDir folder;
  const TimedPane bench;
  const std::string file = writeFile(folder, "phone.json", bench.table());
  bench.choose(file);
  const QByteArray state = bench.view<SensitivityView>().saveState();
  bench.costs().setFile({});
  QVERIFY(bench.view<SensitivityView>().restoreState(state));
  QCOMPARE(bench.costs().file(), text(file));
  bench.costs().setModel(QStringLiteral("another.onnx"));
  QCOMPARE(bench.costs().file(), QString());
}

QUANTSCOPE_TEST(CostFilesTest)
#include "test_cost_files.moc"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_view.h"

using namespace quantscope;
using namespace quantscope::test;

/// What a search in the window has to keep.
class SearchBudgetsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areKept_data();
  void areKept();
  void outOfReachIsTold();
  void anotherQuestionIsTold();
  void changesSinceAreTold();
};

namespace {

constexpr int kSearchPatience = 120'000;

/// The Search pane with a budget.
struct BudgetedSearch : Workbench {
  explicit BudgetedSearch(const SearchGoal& goal) : Workbench("digits_mobilenet", 6) {
    action(ActionId::ShowSensitivity)->trigger();
    view<SensitivityView>().findChild<QTabWidget*>()->setCurrentWidget(&pane());
    pane().budget().setGoal(goal);
  }

  FrontPane& pane() const { return view<SensitivityView>().front(); }
  QPushButton& button(const QString& words) const {
    for (QPushButton* each : pane().findChildren<QPushButton*>()) {
      if (each->text() == words) return *each;
    }
    qFatal("no button reads %s", qPrintable(words));
  }
  /// To its end.
  void search() const {
    QPushButton& search = button(QStringLiteral("Search"));
    clickButton(search);
    QTRY_COMPARE_WITH_TIMEOUT(search.text(), QStringLiteral("Search"), kSearchPatience);
  }
  QString words() const {
    QString words;
    for (const QLabel* label : pane().findChildren<QLabel*>()) words += label->text() + u'\n';
    return words;
  }
};

}  // namespace

void SearchBudgetsTest::areKept_data() {
  using Kind = SearchGoal::Kind;
  QTest::addColumn<int>("kind");
  QTest::addColumn<double>("limit");
  QTest::newRow("bytes") << static_cast<int>(Kind::Bytes) << 70000.0;
  QTest::newRow("bits") << static_cast<int>(Kind::Bits) << 9.0;
  QTest::newRow("time") << static_cast<int>(Kind::Time) << 1e9;
  QTest::newRow("speedup") << static_cast<int>(Kind::Speedup) << 0.1;
  QTest::newRow("drop") << static_cast<int>(Kind::MaxDrop) << 0.5;
}

// What it marks in the end keeps the budget that was set.
void SearchBudgetsTest::areKept() {
  QFETCH(const int, kind);
  QFETCH(const double, limit);
  const BudgetedSearch bench({static_cast<SearchGoal::Kind>(kind), limit});
  const SearchGoal goal = bench.pane().budget().goal();
  QCOMPARE(goal.kind, static_cast<SearchGoal::Kind>(kind));
  const FrontPane& pane = bench.pane();
  bench.search();
  // By time only what is worth its conversions on this machine is left, which may be all alone.
  const bool timed = goal.kind == SearchGoal::Kind::Time || goal.kind == SearchGoal::Kind::Speedup;
  QVERIFY2(pane.front().size() >= (timed ? 1 : 20), QByteArray::number(pane.front().size()));
  QVERIFY(pane.current() >= 0);
  const FrontPoint& marked = pane.front()[static_cast<std::size_t>(pane.current())];
  QVERIFY(marked.chosen);
  const ParetoPoint& found = marked.point;
  if (goal.kind == SearchGoal::Kind::Bytes) QVERIFY(found.bytes <= limit);
  if (goal.kind == SearchGoal::Kind::Bits) QVERIFY(found.bits <= limit);
  if (goal.kind == SearchGoal::Kind::Time) QVERIFY(found.microseconds.value() <= limit);
  if (goal.kind == SearchGoal::Kind::Speedup) QVERIFY(found.speedup.value() >= limit);
  if (goal.kind == SearchGoal::Kind::MaxDrop) QVERIFY(found.drop.value() <= limit);
  const QString words = bench.words();
  QVERIFY2(words.contains(QStringLiteral("chosen by the search")), qPrintable(words));
  QCOMPARE(words.contains(QStringLiteral(" ms · ")) && words.contains(QStringLiteral(" ×")), timed);
  // Points ascend along the axis: of time where the goal is one.
  QCOMPARE(bench.pane().chart().content().horizontal.contains(QStringLiteral("(ms)")), timed);
  for (std::size_t i = 1; i < pane.front().size(); ++i) {
    const FrontCost cost = frontCost(goal.kind);
    QVERIFY(costOfPoint(pane.front()[i].point, cost) >=
            costOfPoint(pane.front()[i - 1].point, cost));
  }
  const Configuration chosen = marked.config;
  clickButton(bench.button(QStringLiteral("Adopt")));
  bench.waitForEnd();
  QVERIFY(bench->session().snapshot()->request.config == chosen);
}

// Before anything is measured.
void SearchBudgetsTest::outOfReachIsTold() {
  const BudgetedSearch bench({SearchGoal::Kind::Bytes, 1000});
  bench.search();
  QVERIFY2(bench.words().contains(QStringLiteral("No configuration has 1000 bytes")),
           qPrintable(bench.words()));
  QVERIFY(bench.pane().front().empty());
}

// What was found under another budget or with other types stays to look at and to adopt, but is not
// what the search would choose now.
void SearchBudgetsTest::anotherQuestionIsTold() {
  const BudgetedSearch bench({SearchGoal::Kind::Bytes, 70000});
  FrontPane& pane = bench.pane();
  bench.search();
  const std::size_t found = pane.front().size();
  const QString chosen = QStringLiteral("chosen by the search");
  QVERIFY(found > 0 && bench.words().contains(chosen));
  QVERIFY(!bench.words().contains(QStringLiteral("search anew")));
  auto& limit = *pane.budget().findChild<QDoubleSpinBox*>();
  limit.setValue(60);
  QVERIFY2(bench.words().contains(QStringLiteral("found for another budget: search anew")),
           qPrintable(bench.words()));
  QVERIFY(!bench.words().contains(chosen));
  QCOMPARE(pane.front().size(), found);
  QVERIFY(bench.button(QStringLiteral("Adopt")).isEnabled());
  const std::vector<QuantType> types = pane.types();
  pane.setTypes({QuantType::Int8});
  Q_EMIT pane.typesChanged();
  QVERIFY2(bench.words().contains(QStringLiteral("for another budget and other types")),
           qPrintable(bench.words()));
  pane.setTypes(types);
  limit.setValue(70);
  QVERIFY2(bench.words().contains(chosen), qPrintable(bench.words()));
  QVERIFY(!bench.words().contains(QStringLiteral("search anew")));
}

// Adopting would drop them. A search that is stopped leaves the front of the one before.
void SearchBudgetsTest::changesSinceAreTold() {
  const BudgetedSearch bench({SearchGoal::Kind::Bytes, 70000});
  FrontPane& pane = bench.pane();
  bench.search();
  const QString dropped = QStringLiteral("Adopt drops those");
  QVERIFY(!bench.words().contains(dropped));
  Configuration config = bench->session().request().config;
  config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.activation.observer.kind = ObserverSpec::Kind::MinMax;
    precision.defaults.weight.granularity.kind = Granularity::Kind::PerTensor;
  });
  bench->session().setConfig(config, QStringLiteral("per tensor"));
  QVERIFY2(bench.words().contains(dropped), qPrintable(bench.words()));
  bench.waitForEnd();
  const std::size_t found = pane.front().size();
  QPushButton& search = bench.button(QStringLiteral("Search"));
  clickButton(search);
  clickButton(search);
  QCOMPARE(pane.front().size(), found);
  clickButton(bench.button(QStringLiteral("Adopt")));
  QVERIFY2(!bench.words().contains(dropped), qPrintable(bench.words()));
}

QUANTSCOPE_TEST(SearchBudgetsTest)
#include "test_search_budgets.moc"

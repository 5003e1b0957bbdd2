#include <QDoubleSpinBox>
#include <QScrollBar>
#include <QTreeView>
#include <QtTest>

#include "app/gui/comparison.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/shell/headline_bar.h"

using namespace quantscope;
using namespace quantscope::test;

/// What is left of a model once another one is open: nothing.
class AnotherModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figuresAreComparedWithNothing();
  void theOutlineBeginsAtItsTop();
  void theBudgetIsTheModelsOwn();
};

namespace {

void openTransformer(const Workbench& bench) {
  bench->session().open(sampleRequest("digits_transformer", 8));
}

}  // namespace

// Not even while only a part of its samples has run.
void AnotherModelTest::figuresAreComparedWithNothing() {
  const Workbench bench;
  bench->session().selection().selectNode(bench.layer(bench.worstLayer()).node);
  bench->session().precision().setType(QuantType::Float32);
  bench.waitForEnd();
  QVERIFY(bench->comparison().snapshot());
  QStringList changes;
  const std::string model = sampleRequest("digits_transformer", 8).model.string();
  connect(&bench->session().controller(), &AnalysisController::snapshotChanged, this, [&] {
    if (bench->session().snapshot()->request.model.string() != model) return;
    if (bench->comparison().snapshot()) changes << QStringLiteral("B");
    for (const HeadlineItem& item : bench->headline().items()) {
      if (!item.change.isEmpty()) changes << item.text();
    }
  });
  openTransformer(bench);
  bench.waitForEnd();
  QCOMPARE(bench->session().snapshot()->request.model.string(), model);
  QCOMPARE(changes, QStringList());
}

void AnotherModelTest::theOutlineBeginsAtItsTop() {
  const Workbench bench;
  bench->resize(1100, 700);
  bench.settle();
  QScrollBar& bar = *bench.outline().verticalScrollBar();
  bar.setValue(bar.maximum());
  QVERIFY(bar.value() > 0);
  openTransformer(bench);
  bench.waitForEnd();
  QCOMPARE(bar.value(), 0);
}

void AnotherModelTest::theBudgetIsTheModelsOwn() {
  const Workbench bench;
  BudgetField& budget = bench.view<SensitivityView>().front().budget();
  budget.findChild<QDoubleSpinBox*>()->setValue(1);
  QCOMPARE(budget.goal().limit, 1000.0);
  openTransformer(bench);
  bench.waitForEnd();
  const auto bytes =
      static_cast<double>(bench->session().snapshot()->result->summary.quantizedBytes);
  QCOMPARE(budget.goal().limit, 1.25 * bytes);
}

QUANTSCOPE_TEST(AnotherModelTest)
#include "test_another_model.moc"

#include <QLabel>
#include <QtTest>

#include "jobs/analysis/explain_errors.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/budget_bar.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/words/attribution.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

BudgetBar& bar(const Workbench& bench) {
  return *bench.view<InspectorView>().findChild<BudgetBar*>();
}

const CellTable& ladder(const Workbench& bench) {
  for (CellTable* table : bench.view<InspectorView>().findChildren<CellTable*>()) {
    if (table->accessibleName() == QStringLiteral("Weights and activations apart")) return *table;
  }
  qFatal("no table");
}

SnapshotPtr explained(const Workbench& bench) {
  const Workers workers;
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{1} << 28);
  return explainErrors(bench->session().snapshot(), memory, job);
}

double total(const std::vector<BudgetPart>& parts) {
  double sum = 0;
  for (const BudgetPart& part : parts) sum += part.share;
  return sum;
}

}  // namespace

/// The causes of a layer's error, measured in idle time.
class ErrorCausesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLayerNamesItsCause();
  void theBudgetFollowsAnEdit();
  void theLadderStandsWhereTheOutputsAre();
  void sharesAndSentences();
  void attributionsAreExplained();
};

void ErrorCausesTest::aLayerNamesItsCause() {
  const Workbench bench;
  const std::size_t worst = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(worst).node);
  QTRY_VERIFY(bar(bench).isVisible());
  // What the command line says.
  const ErrorBudget expected = *explained(bench)->result->layers[worst].budget;
  const std::vector<BudgetPart> parts = budgetParts(expected);
  QCOMPARE(bar(bench).parts().size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    QVERIFY(bar(bench).parts()[i].share == parts[i].share);
  }
  const QString words =
      bench.view<InspectorView>().findChild<InspectorSection*>(QStringLiteral("error"))->asText();
  QVERIFY2(words.contains(budgetSentence(expected)), qPrintable(words));
  QVERIFY(bar(bench).wordsAt({2, 5}).contains(QStringLiteral("The error with only")));
}

void ErrorCausesTest::theBudgetFollowsAnEdit() {
  const Workbench bench;
  const std::size_t layer = bench.worstLayer();
  bench->session().selection().selectNode(bench.layer(layer).node);
  QTRY_VERIFY(bar(bench).isVisible());
  const double weights = bar(bench).parts()[1].share;
  PrecisionFields fields;
  fields.weight.granularity = Granularity{};
  bench->session().precision().setFields(fields, QStringLiteral("set weights to per tensor of"));
  bench.waitForEnd();
  QTRY_VERIFY(bar(bench).isVisible() && bar(bench).parts()[1].share != weights);
}

void ErrorCausesTest::theLadderStandsWhereTheOutputsAre() {
  const Workbench bench;
  QTRY_VERIFY(ladder(bench).isVisible());
  const LadderStep step = explained(bench)->result->ladder.front();
  const auto& rows = ladder(bench).content().rows;
  QCOMPARE(rows.size(), std::size_t{3});
  QCOMPARE(rows[0][1].exact.toDouble(), *step.weightsOnlyDb);
  QCOMPARE(rows[1][1].exact.toDouble(), *step.activationsOnlyDb);
  QCOMPARE(rows[2][1].exact.toDouble(), *step.bothDb);
  bool told = false;
  for (const HeadlineItem& item : bench->headline().items()) {
    told = told || item.definition.contains(QStringLiteral("With weights alone quantized"));
  }
  QVERIFY(told);
}

void ErrorCausesTest::sharesAndSentences() {
  const ErrorBudget mostly{
      .input = 1, .weight = 6, .bias = 0, .output = 3, .clipping = 0, .together = -2};
  QCOMPARE(total(budgetParts(mostly)), 1.0);
  QCOMPARE(budgetSentence(mostly),
           QStringLiteral("60.0 % of its own error comes from its weights, 30.0 % from rounding of "
                          "its output."));
  const ErrorBudget one{
      .input = 0, .weight = 0, .bias = 0, .output = 0, .clipping = 2, .together = 0};
  QCOMPARE(budgetSentence(one), QStringLiteral("100.0 % of its own error comes from clipping."));
  QVERIFY(budgetSentence(ErrorBudget()).isEmpty());
  QCOMPARE(
      budgetParts({.input = 1, .weight = 0, .bias = 0, .output = 0, .clipping = 0, .together = 1})
          .size(),
      std::size_t{6});
}

void ErrorCausesTest::attributionsAreExplained() {
  const Workbench bench;
  const AnalysisSnapshot& shown = *bench->session().snapshot();
  AnalysisResult result = *shown.result;
  const LayerIndex layers(result);
  // The layer that reads what layer 0 makes.
  std::size_t reader = 1;
  const auto reads = [&](std::size_t layer) {
    for (const NodeId member : result.layers[layer].members) {
      for (const ValueId input : shown.graph()[member].inputs) {
        if (!input.valid()) continue;
        const NodeId producer = shown.graph()[input].producer;
        if (producer.valid() && layers.find(producer) == std::size_t{0}) return true;
      }
    }
    return false;
  };
  while (!reads(reader)) ++reader;
  const auto kindOf = [&](double input, double own, double output) {
    result.layers[0].accumulated->total.sqnrDb = input;
    result.layers[reader].local->total.sqnrDb = own;
    result.layers[reader].accumulated->total.sqnrDb = output;
    const auto error = attribute(shown.graph(), result, layers, reader);
    return error ? attributionTitle(error->kind) : QString();
  };
  QCOMPARE(kindOf(50, 20, 19.5), QStringLiteral("local"));
  QCOMPARE(kindOf(20, 45, 20), QStringLiteral("inherited"));
  QCOMPARE(kindOf(45, 45, 20), QStringLiteral("amplified"));
  QCOMPARE(kindOf(50, 50, 45), QString());
}

QUANTSCOPE_TEST(ErrorCausesTest)
#include "test_error_causes.moc"

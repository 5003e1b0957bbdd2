#include <QtTest>
#include <algorithm>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/sensitivity_in_steps.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using States = std::vector<SensitivityStatePtr>;

SnapshotPtr analysisOf(const LoadedModel& model, const std::shared_ptr<SampleSet>& data,
                       AnalysisMemory& memory, JobContext& job) {
  return runAnalysis({{}, model, data, data, {}}, nullptr, memory, job);
}

/// A complete analysis of which layers are asked.
struct AnalysedSample : SampleNetwork {
  explicit AnalysedSample(const std::string& name = "digits_mobilenet")
      : SampleNetwork(name, 2, 8), snapshot(analysisOf(model, data, memory, job)) {}

  /// `stages`: of the job, in their order.
  States run(const SensitivityRequest& asked, const SensitivityStatePtr& before = {},
             std::vector<std::string>* stages = nullptr) {
    JobContext watched(workers, [stages](const Progress& progress) {
      const bool known =
          stages == nullptr || (!stages->empty() && stages->back() == progress.stage);
      if (!known) stages->push_back(progress.stage);
    });
    States states;
    sensitivityInSteps(*snapshot, asked, before, memory, watched,
                       [&](const SensitivityStatePtr& state) { states.push_back(state); });
    return states;
  }

  AnalysisMemory memory{kBudget};
  SnapshotPtr snapshot;
};

const SensitivityRequest kTwoTypes{.types = {QuantType::Int8, QuantType::Int4}};

QStringList namesOf(const std::vector<RankedRow>& rows) {
  QStringList names;
  for (const RankedRow& row : rows) {
    names << QString::fromStdString(row.node + ' ' + std::string(name(row.type)));
  }
  return names;
}

QStringList figuresOf(const SensitivityState& state) {
  QStringList figures;
  for (const SensitivityRow& row : state.rows) {
    figures << QString("%1 %2 %3")
                   .arg(QString::fromStdString(row.node))
                   .arg(static_cast<int>(row.type))
                   .arg(worstOutputSqnr(row.outputs).value_or(0), 0, 'g', 17);
  }
  return figures;
}

bool known(const RankedRow& row) {
  return row.sqnrDb.has_value();
}

}  // namespace

/// What somebody sees who watches a sensitivity analysis.
class SensitivityStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void estimatesComeFirst();
  void measuredRowsTakeTheirPlace();
  void aroundAConfigurationFewSamplesRank();
  void whatHasNoGradientIsRankedOnFewSamples();
  void estimatesAreKeptWhenItGoesOn();
  void stoppedWhileItEstimates();
};

void SensitivityStepsTest::estimatesComeFirst() {
  AnalysedSample sample;
  const States states = sample.run(kTwoTypes);
  QVERIFY(states.size() > 3);
  QVERIFY(std::ranges::none_of(states[0]->waiting, known));
  const SensitivityState& first = *states[1];
  QVERIFY(first.rows.empty() && first.notEstimated.empty());
  QVERIFY(first.waiting.size() > 20);
  QCOMPARE(first.estimates.size(), first.waiting.size());
  QCOMPARE(first.estimatedOn, std::size_t{8});
  QVERIFY(std::ranges::all_of(first.waiting, &RankedRow::estimated));
  QVERIFY(std::ranges::is_sorted(first.waiting, {},
                                 [](const RankedRow& row) { return row.sqnrDb.value(); }));
}

void SensitivityStepsTest::measuredRowsTakeTheirPlace() {
  AnalysedSample sample;
  const States states = sample.run(kTwoTypes);
  const QStringList order = namesOf(states[1]->waiting);
  for (std::size_t i = 1; i < states.size(); ++i) {
    const SensitivityState& state = *states[i];
    QCOMPARE(namesOf(state.waiting), order.mid(static_cast<qsizetype>(state.rows.size())));
    QCOMPARE(state.quality.rows, state.rows.size());
    QVERIFY(std::ranges::none_of(state.rows, &SensitivityRow::estimated));
  }
  QVERIFY(states.back()->complete());
  const double spearman = states.back()->quality.spearman.value();
  QVERIFY2(spearman >= 0.9, QByteArray::number(spearman));
}

// At a quantized network there is no gradient to ask.
void SensitivityStepsTest::aroundAConfigurationFewSamplesRank() {
  AnalysedSample sample;
  const States states = sample.run(
      {.types = {QuantType::Float16}, .around = SensitivityRequest::Around::Configuration});
  QCOMPARE(QString::fromStdString(states[1]->notEstimated),
           QStringLiteral("gradients estimate the sensitivity around the float network only"));
  QVERIFY(states[1]->estimates.empty());
  QCOMPARE(states[1]->rankedOn, std::size_t{1});
  QVERIFY(std::ranges::any_of(states[1]->waiting, known));
  QVERIFY(std::ranges::none_of(states[1]->waiting, &RankedRow::estimated));
  QCOMPARE(states.back()->quality.rows, std::size_t{0});
}

void SensitivityStepsTest::whatHasNoGradientIsRankedOnFewSamples() {
  TextNetwork network(kPartlyWithoutGradient, 8);
  const SnapshotPtr snapshot = analysisOf(network.model, network.data, network.memory, network.job);
  States states;
  sensitivityInSteps(*snapshot, kTwoTypes, nullptr, network.memory, network.job,
                     [&](const SensitivityStatePtr& state) { states.push_back(state); });
  // The estimates, then the rest.
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}}) {
    QVERIFY(states[step]->rows.empty());
    for (const RankedRow& row : states[step]->waiting) {
      QCOMPARE(row.estimated, row.node == "second");
      QCOMPARE(known(row), row.node == "second" || step == 2);
    }
  }
  for (const SensitivityRow& row : states[2]->estimates) {
    if (row.node != "first") continue;
    QCOMPARE(
        QString::fromStdString(row.refused),
        QStringLiteral("gradient not available: LpNormalization 'norm': the operator has none"));
  }
  QVERIFY(states.back()->complete());
  QCOMPARE(states.back()->quality.rows, std::size_t{2});
  // [1, 6] × [6, 8] and [1, 8] × [8, 5].
  for (const SensitivityRow& row : states.back()->rows) {
    QCOMPARE(row.macs.value(), row.node == "first" ? 48.0 : 40.0);
  }
}

void SensitivityStepsTest::estimatesAreKeptWhenItGoesOn() {
  AnalysedSample sample;
  std::vector<std::string> stages;
  const States states = sample.run(kTwoTypes, nullptr, &stages);
  QVERIFY(std::ranges::find(stages, "Gradients") != stages.end());
  const auto some = std::ranges::find_if(
      states, [](const SensitivityStatePtr& state) { return !state->rows.empty(); });
  QVERIFY(some != states.end() && !(*some)->complete());
  stages.clear();
  const States others = sample.run(kTwoTypes, *some, &stages);
  QVERIFY(std::ranges::find(stages, "Gradients") == stages.end());
  QCOMPARE(namesOf(others.front()->waiting), namesOf((*some)->waiting));
  QVERIFY(std::ranges::all_of(others.front()->waiting, &RankedRow::estimated));
  QCOMPARE(figuresOf(*others.back()), figuresOf(*states.back()));
  QVERIFY(others.back()->quality.spearman == states.back()->quality.spearman);
}

void SensitivityStepsTest::stoppedWhileItEstimates() {
  AnalysedSample sample;
  JobContext* running = nullptr;
  JobContext job(sample.workers, [&](const Progress& progress) {
    if (progress.stage == "Gradients") running->requestCancel();
  });
  running = &job;
  States states;
  QVERIFY_THROWS_EXCEPTION(
      Cancelled,
      sensitivityInSteps(*sample.snapshot, kTwoTypes, nullptr, sample.memory, job,
                         [&](const SensitivityStatePtr& state) { states.push_back(state); }));
  QCOMPARE(states.size(), std::size_t{1});
  QVERIFY(!states.front()->complete() && states.front()->estimates.empty());
  const States later = sample.run(kTwoTypes, states.front());
  QVERIFY(later.back()->complete() && later.back()->quality.rows == later.back()->rows.size());
}

QUANTSCOPE_TEST(SensitivityStepsTest)
#include "test_sensitivity_steps.moc"

#include <QtTest>

#include "app/gui/comparison.h"
#include "jobs/analysis/explain_errors.h"
#include "support/test_main.h"
#include "ui/workbench.h"

using namespace quantscope;
using namespace quantscope::test;

class ContributionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comeWhereTheyAreToBeShown();
  void followAnEdit();
  void areKnownOfAKeptConfiguration();
};

namespace {

bool known(const Workbench& window) {
  const auto& layers = window->session().snapshot()->result->layers;
  return std::ranges::any_of(
      layers, [](const LayerResult& layer) { return layer.contribution.has_value(); });
}

// The result of a measurement without a cache.
std::vector<std::optional<double>> expected(const Workbench& window) {
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(window->session().queue()->workers(JobTag::Priority::Edit));
  const SnapshotPtr more = withContributions(window->session().snapshot(), memory, job);
  std::vector<std::optional<double>> figures;
  for (const LayerResult& layer : more->result->layers) {
    figures.push_back(layer.contribution ? layer.contribution->total.sqnrDb : std::nullopt);
  }
  return figures;
}

std::vector<std::optional<double>> shown(const Workbench& window) {
  std::vector<std::optional<double>> figures;
  for (const LayerResult& layer : window->session().snapshot()->result->layers) {
    const Figure figure = window->session().options().figureOf(layer);
    const bool number = figure.kind == Figure::Kind::Value;
    figures.push_back(number ? std::optional(figure.value) : std::nullopt);
  }
  return figures;
}

}  // namespace

void ContributionsTest::comeWhereTheyAreToBeShown() {
  const Workbench window;
  window.waitForGains();
  QVERIFY(!known(window));
  window.action(ActionId::KindContribution)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(known(window), 60'000);
  QCOMPARE(shown(window), expected(window));
}

void ContributionsTest::followAnEdit() {
  const Workbench window;
  window.waitForGains();
  window.action(ActionId::KindContribution)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(known(window), 60'000);
  const auto before = shown(window);
  Configuration other = window->session().request().config;
  other.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.type = QuantType::Int4; });
  window->session().setConfig(other, QStringLiteral("set weights to int4"));
  window.waitForGains();
  QTRY_VERIFY_WITH_TIMEOUT(known(window), 60'000);
  QCOMPARE(shown(window), expected(window));
  QVERIFY(shown(window) != before);
}

void ContributionsTest::areKnownOfAKeptConfiguration() {
  const Workbench window;
  window.waitForGains();
  window->comparison().keep();
  Configuration other = window->session().request().config;
  other.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.type = QuantType::Int4; });
  window->session().setConfig(other, QStringLiteral("set weights to int4"));
  window.waitForGains();
  DisplayOptions& options = window->session().options();
  options.setDelta(true);
  window.action(ActionId::KindContribution)->trigger();
  const auto differs = [&] {
    const auto figures = shown(window);
    return std::ranges::any_of(figures, [](const auto& figure) { return figure && *figure < -1; });
  };
  QTRY_VERIFY_WITH_TIMEOUT(options.delta() && differs(), 60'000);
  const auto& layers = window->session().snapshot()->result->layers;
  for (const LayerResult& layer : layers) {
    if (!layer.contribution || !options.otherOf(layer)->contribution) continue;
    const auto own = layer.contribution->total.sqnrDb;
    const auto before = options.otherOf(layer)->contribution->total.sqnrDb;
    if (own && before) QCOMPARE(options.figureOf(layer).value, *own - *before);
  }
}

QUANTSCOPE_TEST(ContributionsTest)
#include "test_contributions.moc"

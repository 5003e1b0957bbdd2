#include <QListWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/gui/controllers/models_controller.h"
#include "compare/qdq_twin.h"
#include "jobs/compare/compare_files.h"
#include "jobs/export/export_bundle.h"
#include "jobs/quantize_model.h"
#include "jobs/request_labels.h"
#include "onnx/writing/write_model.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/models/layer_reasons.h"
#include "widgets/models/linked_graphs.h"
#include "widgets/models/models_window.h"
#include "widgets/models/name_tail.h"
#include "widgets/models/pairs_model.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// The workbench, and beside it a QDQ model of it in which one layer is wrong.
struct ModelsBench : Workbench {
  ModelsBench() {
    waitForGains();
    dialogs->twin = folder.filePath("twin.onnx");
    QdqTwin wrong("digits_mobilenet");
    const NodeId product = wrong.products()[3];
    broken = wrong.original()[wrong.original().findNode(wrong.graph()[product].name)].name;
    Tensor& scales = wrong.ownConstant(wrong.weightDequantizer(product), 1);
    for (float& scale : scales.mutableValues<float>()) scale *= 1.5F;
    const std::string bytes = modelBytes(wrong.qdq.draft);
    QFile file(dialogs->twin);
    if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
    file.write(bytes.data(), static_cast<qsizetype>(bytes.size()));
  }

  const Workers& workers() const {
    return window->session().queue()->workers(JobTag::Priority::Edit);
  }
  ModelsWindow& open() const {
    action(ActionId::CompareWithModel)->trigger();
    return *window->models().comparison();
  }
  ComparedFiles expected(const NamedMatches& byHand = {}) const {
    const SnapshotPtr& shown = window->session().snapshot();
    JobContext job(workers());
    const LoadedModel second = loadModel(dialogs->twin.toStdString(), job);
    return compareLoaded(shown->model, second, *shown->data, labelsOf(shown->request), byHand, job);
  }

  QTemporaryDir folder;
  std::string broken;
};

bool isDone(ModelsWindow& window) {
  return window.table().model()->rowCount() > 0;
}

QPointF centreOf(GraphView& view) {
  return view.canvas().camera().centre();
}

}  // namespace

class ComparedModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsWhatTheCommandLineFinds();
  void graphsAreLinked();
  void detectorsSayWhy();
  void shownGraphsCanBeDestroyed();
  void matchesCanBeCorrected();
  void dumpsAreCompared();
  void aFileThatIsNoModelSaysSo();
};

void ComparedModelsTest::showsWhatTheCommandLineFinds() {
  const ModelsBench bench;
  ModelsWindow& window = bench.open();
  QTRY_VERIFY_WITH_TIMEOUT(isDone(window), 60'000);
  const ComparedFiles expected = bench.expected();
  const ModelComparison& comparison = expected.comparison;
  QVERIFY(!comparison.suspects.empty());
  QCOMPARE(window.suspects().count(), static_cast<int>(comparison.suspects.size()));
  QCOMPARE(window.suspects().item(0)->text(),
           nameTail(bench.broken) + u'\n' + text(comparison.suspects[0].reason));
  QCOMPARE(text(comparison.layers[comparison.suspects[0].layer].firstLayer), text(bench.broken));
  const QAbstractItemModel& rows = *window.table().model();
  QCOMPARE(static_cast<std::size_t>(rows.rowCount()), comparison.layers.size() +
                                                          comparison.firstUnmatched.size() +
                                                          comparison.secondUnmatched.size());
  for (std::size_t i = 0; i < comparison.layers.size(); ++i) {
    const auto cell = [&](int column) {
      return rows.index(static_cast<int>(i), column).data(kExactRole);
    };
    QCOMPARE(cell(PairsModel::kFirst).toString(), text(comparison.layers[i].firstLayer));
    const std::optional<double>& sqnr = comparison.layers[i].error.sqnrDb;
    QCOMPARE(cell(PairsModel::kSqnr), sqnr ? QVariant(*sqnr) : QVariant());
  }
  bench.dialogs->comparison = bench.folder.filePath("compare.json");
  Q_EMIT window.saveRequested();
  QFile file(bench.dialogs->comparison);
  QVERIFY(file.open(QIODevice::ReadOnly));
  // All but what was measured twice.
  auto saved = nlohmann::ordered_json::parse(file.readAll().toStdString());
  auto wanted = nlohmann::ordered_json::parse(comparisonFile(expected));
  QVERIFY(saved.at("speedup").is_number());
  for (const char* measured : {"speedup", "latency"}) {
    saved.erase(measured);
    wanted.erase(measured);
  }
  QCOMPARE(saved.dump(), wanted.dump());
  QVERIFY2(window.words().contains(QStringLiteral(" as fast")), qPrintable(window.words()));
}

void ComparedModelsTest::detectorsSayWhy() {
  const ModelsBench bench;
  ModelsWindow& window = bench.open();
  QTRY_VERIFY_WITH_TIMEOUT(isDone(window), 60'000);
  const LayerReasons& shown = window.reasons();
  QVERIFY(shown.words().startsWith(QStringLiteral("Select a layer")));
  const ModelComparison comparison = bench.expected().comparison;
  std::size_t blamed = 0;
  std::size_t spared = 0;
  for (std::size_t i = 0; i < comparison.layers.size(); ++i) {
    const ComparedLayer& layer = comparison.layers[i];
    window.table().selectRow(static_cast<int>(i));
    QCOMPARE(shown.list().count(), static_cast<int>(layer.reasons.size()));
    for (std::size_t k = 0; k < layer.reasons.size(); ++k)
      QCOMPARE(shown.list().item(static_cast<int>(k))->text(), text(layer.reasons[k].text));
    const QModelIndex count =
        window.table().model()->index(static_cast<int>(i), PairsModel::kFindings);
    QCOMPARE(count.data(kExactRole).toInt(), static_cast<int>(layer.reasons.size()));
    const QString name = nameTail(layer.isInput ? layer.firstValue : layer.firstLayer);
    QVERIFY2(shown.words().contains(name), qPrintable(shown.words()));
    ++(layer.reasons.empty() ? spared : blamed);
  }
  QVERIFY(blamed > 0);
  QVERIFY(spared > 0);
}

// The first goes before the second, which then becomes wider.
void ComparedModelsTest::shownGraphsCanBeDestroyed() {
  const Workbench bench;
  const SnapshotPtr& shown = bench.window->session().snapshot();
  LinkedGraphs graphs;
  graphs.resize(800, 400);
  graphs.show();
  graphs.setModels({shown, shown, {{0, 0}, {1, 1}}});
  QTRY_VERIFY_WITH_TIMEOUT(graphs.first().settled() && graphs.second().settled(), 30'000);
}

void ComparedModelsTest::graphsAreLinked() {
  const ModelsBench bench;
  ModelsWindow& window = bench.open();
  QTRY_VERIFY_WITH_TIMEOUT(isDone(window), 60'000);
  LinkedGraphs& graphs = window.graphs();
  QTRY_VERIFY_WITH_TIMEOUT(graphs.first().settled() && graphs.second().settled(), 30'000);
  graphs.first().canvas().setAnimated(false);
  graphs.second().canvas().setAnimated(false);
  window.suspects().setCurrentRow(0);
  const ModelComparison comparison = bench.expected().comparison;
  const ComparedLayer& suspect = comparison.layers[comparison.suspects[0].layer];
  const auto made = [](const GraphView& view, const Selection& selection) {
    const Graph& graph = view.snapshot()->graph();
    return graph[graph[selection.current().node].outputs[0]].name;
  };
  QCOMPARE(made(graphs.first(), graphs.firstSelection()), suspect.firstValue);
  QCOMPARE(made(graphs.second(), graphs.secondSelection()), suspect.secondValue);
  // In the middle of both stand the twins.
  const auto boxAt = [](GraphView& view, const Selection& selection) {
    const GraphScenePtr& scene = view.canvas().content().scene;
    const auto row = LayerIndex(*view.snapshot()->result).find(selection.current().node);
    return scene->boxes()[*scene->boxOfLayer(*row)].rect;
  };
  QVERIFY(boxAt(graphs.first(), graphs.firstSelection()).contains(centreOf(graphs.first())));
  QVERIFY(boxAt(graphs.second(), graphs.secondSelection()).contains(centreOf(graphs.second())));
  const QPointF before = centreOf(graphs.first());
  graphs.second().canvas().setView(centreOf(graphs.second()) - QPointF(0, 400), 1);
  QVERIFY(centreOf(graphs.first()).y() < before.y());
  QCOMPARE(graphs.first().canvas().camera().scale(), 1.0);
  graphs.setLinked(false);
  const QPointF still = centreOf(graphs.first());
  graphs.second().canvas().setView(centreOf(graphs.second()) + QPointF(0, 300), 1);
  QCOMPARE(centreOf(graphs.first()), still);
}

void ComparedModelsTest::matchesCanBeCorrected() {
  const ModelsBench bench;
  ModelsWindow& window = bench.open();
  QTRY_VERIFY_WITH_TIMEOUT(isDone(window), 60'000);
  const ModelComparison before = bench.expected().comparison;
  const std::string value = before.layers.back().firstValue;
  Q_EMIT window.matchRequested(text(value), QString());
  const auto alone = static_cast<int>(before.layers.size()) - 1;
  QTRY_VERIFY_WITH_TIMEOUT(
      window.table().model()->index(alone, PairsModel::kHow).data().toString() == "no twin",
      60'000);
  const ModelComparison after = bench.expected({{value, ""}}).comparison;
  QCOMPARE(static_cast<std::size_t>(window.table().model()->rowCount()),
           after.layers.size() + after.firstUnmatched.size() + after.secondUnmatched.size());
}

void ComparedModelsTest::dumpsAreCompared() {
  const ModelsBench bench;
  const SnapshotPtr& shown = bench.window->session().snapshot();
  JobContext job(bench.workers());
  bench.dialogs->twin = bench.folder.filePath("dumps");
  const CalibratedModel calibrated =
      calibrateAndQuantize(shown->model, shown->request.config, *shown->calibration, 1, job);
  exportBundle({shown->model, shown->request.config, calibrated.observations, calibrated.model},
               *shown->data, {}, {.format = "bundle", .out = bench.dialogs->twin.toStdString()},
               job);
  bench.dialogs->twin += "/quantized";
  bench.action(ActionId::CompareWithDumps)->trigger();
  ModelsWindow& window = *bench.window->models().comparison();
  QTRY_VERIFY_WITH_TIMEOUT(isDone(window), 60'000);
  QVERIFY(window.words().contains("No layer errs more"));
  QVERIFY(window.graphs().second().isHidden());
  // What is corrected by hand counts.
  const int rows = window.table().model()->rowCount();
  const QString name = window.table().model()->index(4, PairsModel::kValue).data().toString();
  Q_EMIT window.matchRequested(name, QString());
  QTRY_COMPARE_WITH_TIMEOUT(window.table().model()->rowCount(), rows + 1, 60'000);
}

void ComparedModelsTest::aFileThatIsNoModelSaysSo() {
  const ModelsBench bench;
  QFile file(bench.dialogs->twin);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("no model");
  file.close();
  ModelsWindow& window = bench.open();
  QTRY_VERIFY_WITH_TIMEOUT(!window.words().contains("Comparing"), 60'000);
  QVERIFY2(window.words().contains("twin.onnx"), qPrintable(window.words()));
  QVERIFY(!isDone(window));
}

QUANTSCOPE_TEST(ComparedModelsTest)
#include "test_compared_models.moc"

#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/gui/comparison.h"
#include "jobs/analysis/map_errors.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/heatmap/heatmap_canvas.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/layer_map_pane.h"
#include "widgets/heatmap/pixel_map_view.h"
#include "widgets/look/text.h"
#include "widgets/words/layer_names.h"

using namespace quantscope;
using namespace quantscope::test;

class LayerMapsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showWhatTheCommandLineWrites_data();
  void showWhatTheCommandLineWrites();
  void aClickChoosesThePlace();
  void showTheDifferenceFromB();
  void sayWhyThereIsNothing();
};

namespace {

HeatmapView& heatmap(const Workbench& window) {
  auto* view = window->findChild<HeatmapView*>();
  window.action(ActionId::ShowHeatmap)->trigger();
  view->setMode(HeatmapMode::Layer);
  return *view;
}

const LayerResult& quantizedLayer(const Workbench& window) {
  for (const LayerResult& layer : window->session().snapshot()->result->layers) {
    if (layer.local && layer.op == "Conv") return layer;
  }
  throw std::runtime_error("no quantized convolution");
}

// The output of `quantscope-cli errors` for the same request.
nlohmann::json printed(const Workbench& window, const MapRequest& request) {
  const SnapshotPtr& shown = window->session().snapshot();
  AnalysisMemory memory(std::size_t{128} << 20);
  JobContext job(window->session().queue()->workers(JobTag::Priority::Edit));
  return nlohmann::json::parse(mapErrors(shown->model, shown->request.config, *shown->data,
                                         *shown->calibration, request, memory, job)
                                   .json);
}

bool same(const std::optional<Figure>& figure, const nlohmann::json& number) {
  if (number.is_null()) return figure->kind == Figure::Kind::NotComputed;
  if (number.is_string()) return std::isinf(figure->value);
  return figure->value == number.get<double>();
}

}  // namespace

void LayerMapsTest::showWhatTheCommandLineWrites_data() {
  QTest::addColumn<int>("kind");
  QTest::newRow("local") << static_cast<int>(ErrorKind::Local);
  QTest::newRow("accumulated") << static_cast<int>(ErrorKind::Accumulated);
}

void LayerMapsTest::showWhatTheCommandLineWrites() {
  QFETCH(const int, kind);
  const Workbench window;
  window.waitForGains();
  HeatmapView& view = heatmap(window);
  window->session().options().setKind(static_cast<ErrorKind>(kind));
  const LayerResult& layer = quantizedLayer(window);
  window->session().selection().selectNode(layer.node);
  QTRY_VERIFY_WITH_TIMEOUT(view.canvas().scene().data->rows() > 0, 30'000);
  const HeatmapData& table = *view.canvas().scene().data;
  MapRequest request{
      .layer = layer.name,
      .kind =
          static_cast<ErrorKind>(kind) == ErrorKind::Local ? MapKind::Local : MapKind::Accumulated,
      .place = MapRequest::Place{static_cast<std::size_t>(view.canvas().currentColumn()),
                                 static_cast<std::size_t>(view.canvas().currentRow())}};
  const nlohmann::json expected = printed(window, request);
  QCOMPARE(table.rows(), expected["channels"].get<int>());
  QCOMPARE(table.columns(), expected["samples"].get<int>());
  for (int row = 0; row < table.rows(); ++row) {
    for (int column = 0; column < table.columns(); ++column) {
      QVERIFY(same(
          table.figure(row, column),
          expected["sqnr_db"][static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]));
    }
  }
  const QStringList lines = view.mapPane().pixels().asText().split(u'\n', Qt::SkipEmptyParts);
  const nlohmann::json& pixels = expected["pixels"];
  const auto width = pixels["width"].get<std::size_t>();
  QCOMPARE(static_cast<std::size_t>(lines.size()) - 1, pixels["height"].get<std::size_t>() * width);
  for (qsizetype i = 1; i < lines.size(); ++i) {
    const auto place = static_cast<std::size_t>(i - 1);
    const QStringList cells = lines[i].split(u'\t');
    QCOMPARE(cells[2].toDouble(), pixels["float"][place / width][place % width].get<double>());
    QCOMPARE(cells[3].toDouble(), pixels["quantized"][place / width][place % width].get<double>());
  }
}

void LayerMapsTest::aClickChoosesThePlace() {
  const Workbench window;
  window.waitForGains();
  HeatmapView& view = heatmap(window);
  window->session().selection().selectNode(quantizedLayer(window).node);
  QTRY_VERIFY_WITH_TIMEOUT(view.canvas().scene().data->rows() > 0, 30'000);
  // The table makes room for the places.
  QTRY_VERIFY(view.mapPane().isVisible() && view.mapPane().x() >= view.canvas().width());
  const HeatmapLayout& layout = view.canvas().cellLayout();
  const QRectF cell = layout.rowRect({1, 2}) & layout.columnRect({1, 2});
  QTest::mouseClick(view.canvas().viewport(), Qt::LeftButton, {}, cell.center().toPoint());
  QCOMPARE(window->session().selection().current().channel, 1);
  QCOMPARE(window->session().selection().current().sample, 1);
  QTRY_VERIFY_WITH_TIMEOUT(view.mapPane().title().contains("channel 1 · sample 1"), 30'000);
  const LayerResult& layer = quantizedLayer(window);
  const QString name = LayerNames(*window->session().snapshot()->result).shortOf(text(layer.name));
  QVERIFY(view.mapPane().title().contains(name));
  const PixelMapView& pixels = view.mapPane().pixels();
  QVERIFY(pixels.wordsAt({20, 40}).contains("quantized"));
  QVERIFY(pixels.wordsAt({0, 0}).isEmpty());
}

// The table of `window` as a matrix, in dB.
std::vector<double> tableOf(const HeatmapView& view) {
  const HeatmapData& table = *view.canvas().scene().data;
  std::vector<double> figures;
  for (int row = 0; row < table.rows(); ++row) {
    for (int column = 0; column < table.columns(); ++column) {
      const auto figure = table.figure(row, column);
      figures.push_back(figure && figure->kind == Figure::Kind::Value ? figure->value : NAN);
    }
  }
  return figures;
}

void LayerMapsTest::showTheDifferenceFromB() {
  const Workbench window;
  window.waitForGains();
  HeatmapView& view = heatmap(window);
  DisplayOptions& options = window->session().options();
  const LayerResult layer = quantizedLayer(window);
  window->session().selection().selectNode(layer.node);
  QTRY_VERIFY_WITH_TIMEOUT(view.canvas().scene().data->rows() > 0, 30'000);
  const std::vector<double> before = tableOf(view);
  window->comparison().keep();
  Configuration other = window->session().request().config;
  other.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.type = QuantType::Int4; });
  window->session().setConfig(other, QStringLiteral("set weights to int4"));
  window.waitForGains();
  QTRY_VERIFY_WITH_TIMEOUT(!view.mapsAsked() && view.canvas().scene().data->rows() > 0, 30'000);
  const std::vector<double> after = tableOf(view);
  options.setDelta(true);
  QTRY_VERIFY_WITH_TIMEOUT(
      options.delta() && !view.mapsAsked() && view.canvas().scene().data->rows() > 0, 30'000);
  const std::vector<double> differences = tableOf(view);
  QCOMPARE(differences.size(), before.size());
  bool worse = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i]) || std::isnan(after[i]) || before[i] == after[i]) continue;
    QCOMPARE(differences[i], after[i] - before[i]);
    worse = worse || differences[i] < -3;
  }
  QVERIFY(worse);
  QVERIFY(view.mapPane().title().contains("A − B −"));
  // float, A and B of each place; A is farther from float in the place of the largest change.
  const QStringList lines = view.mapPane().pixels().asText().split(u'\n', Qt::SkipEmptyParts);
  QCOMPARE(lines[0].split(u'\t').size(), 5);
  double error = 0;
  double otherError = 0;
  for (qsizetype i = 1; i < lines.size(); ++i) {
    const QStringList cells = lines[i].split(u'\t');
    const double expected = cells[2].toDouble();
    error += std::pow(cells[3].toDouble() - expected, 2);
    otherError += std::pow(cells[4].toDouble() - expected, 2);
  }
  QVERIFY(error > otherError);
  QVERIFY(view.mapPane().pixels().wordsAt({20, 40}).contains(", B "));
}

void LayerMapsTest::sayWhyThereIsNothing() {
  const Workbench window;
  window.waitForGains();
  const HeatmapView& view = heatmap(window);
  window->session().selection().clear();
  QCOMPARE(view.canvas().scene().data->rows(), 0);
  for (const LayerResult& layer : window->session().snapshot()->result->layers) {
    if (layer.local) continue;
    window->session().selection().selectNode(layer.node);
    QTRY_VERIFY_WITH_TIMEOUT(!view.mapsAsked(), 30'000);
    QCOMPARE(view.canvas().scene().data->rows(), 0);
    QVERIFY(view.mapPane().isHidden());
    return;
  }
  QFAIL("every layer is quantized");
}

QUANTSCOPE_TEST(LayerMapsTest)
#include "test_layer_maps.moc"

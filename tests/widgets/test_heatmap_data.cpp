#include <QtTest>
#include <algorithm>
#include <limits>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/heatmap/build_heatmap.h"
#include "widgets/heatmap/heatmap_text.h"
#include "widgets/heatmap/worst_pyramid.h"

using namespace quantscope;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HeatmapColumns channels(int count) {
  return {.count = count,
          .noun = QStringLiteral("channel"),
          .measures = {{QStringLiteral("SQNR"), QStringLiteral("local SQNR"), {}, ErrorScale()}},
          .groups = {}};
}

std::vector<Figure> values(const std::vector<double>& sqnrDb) {
  std::vector<Figure> figures;
  for (const double value : sqnrDb) figures.push_back({Figure::Kind::Value, value});
  return figures;
}

// Row r has r % 7 channels fewer than the table; figures are scattered but reproducible.
HeatmapData scattered(int rows, int columns) {
  HeatmapData data(channels(columns));
  unsigned state = 1;
  for (int row = 0; row < rows; ++row) {
    std::vector<double> sqnrDb;
    for (int column = 0; column < columns - row % 7; ++column) {
      state = state * 1664525U + 1013904223U;
      sqnrDb.push_back(static_cast<double>(state >> 8) / 1e5);
    }
    const std::vector<Figure> figures = values(sqnrDb);
    data.addRow(
        {.node = {}, .name = QString::number(row), .path = {}, .op = {}, .tip = {}, .scope = {}},
        figures);
  }
  return data;
}

std::vector<int> inOrder(int rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

class HeatmapDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void kindsOfCells();
  void pyramidIsTheWorstOfTheCells_data();
  void pyramidIsTheWorstOfTheCells();
  void pyramidKeepsTheOnlyFigure();
  void everyCellHasAPixel_data();
  void everyCellHasAPixel();
  void sorting();
  void rowsAreFiltered();
  void countsWorse();
  void tablesOfASample();
  void textHasFullPrecision();
  void rowsOfALayerAreChannels();
};

void HeatmapDataTest::kindsOfCells() {
  HeatmapData data(channels(3));
  const std::vector<Figure> mixed{{Figure::Kind::Value, kInfinity}, {Figure::Kind::NotComputed, 0}};
  data.addRow({}, mixed);
  data.addRow({}, {}, Figure::Kind::NotQuantized);
  QCOMPARE(data.figure(0, 0)->value, kInfinity);
  QVERIFY(isFigure(data.heat(0, 0)));
  QVERIFY(data.figure(0, 1)->kind == Figure::Kind::NotComputed);
  QVERIFY(!data.figure(0, 2));
  QVERIFY(data.figure(1, 2)->kind == Figure::Kind::NotQuantized);
  QVERIFY(data.heat(0, 0) > data.heat(0, 1));
  QVERIFY(data.heat(0, 1) > data.heat(1, 2));
  QVERIFY(data.heat(1, 2) > data.heat(0, 2));
}

void HeatmapDataTest::pyramidIsTheWorstOfTheCells_data() {
  QTest::addColumn<int>("rows");
  QTest::newRow("one") << 1;
  QTest::newRow("two") << 2;
  QTest::newRow("odd") << 5;
  QTest::newRow("power of two") << 16;
  QTest::newRow("more") << 37;
}

void HeatmapDataTest::pyramidIsTheWorstOfTheCells() {
  QFETCH(int, rows);
  constexpr int kColumns = 11;
  const HeatmapData data = scattered(rows, kColumns);
  std::vector<int> order = inOrder(rows);
  std::ranges::reverse(order);
  const WorstPyramid pyramid(data, order);
  std::vector<float> worst(kColumns - 3);
  for (int first = 0; first < rows; ++first) {
    for (int end = first + 1; end <= rows; ++end) {
      pyramid.worst({first, end}, {2, kColumns - 1}, worst);
      for (int column = 2; column < kColumns - 1; ++column) {
        float expected = kEmptyHeat;
        for (int row = first; row < end; ++row) {
          expected = std::max(expected, data.heat(order[static_cast<std::size_t>(row)], column));
        }
        QCOMPARE(worst[static_cast<std::size_t>(column - 2)], expected);
      }
    }
  }
}

void HeatmapDataTest::pyramidKeepsTheOnlyFigure() {
  HeatmapData data(channels(2));
  for (int row = 0; row < 9; ++row) {
    const std::vector<Figure> figures =
        values(row == 6 ? std::vector{70.0} : std::vector<double>{});
    data.addRow({}, figures, row == 3 ? std::optional(Figure::Kind::NotQuantized) : std::nullopt);
  }
  const WorstPyramid pyramid(data, inOrder(9));
  std::vector<float> worst(2);
  pyramid.worst({0, 9}, {0, 2}, worst);
  // However calm, a figure comes before what has none.
  QCOMPARE(worst[0], data.heat(6, 0));
  QCOMPARE(worst[1], kNotQuantizedHeat);
  QCOMPARE(data.rowHeat(6), data.heat(6, 0));
  QCOMPARE(data.rowHeat(3), kNotQuantizedHeat);
}

void HeatmapDataTest::everyCellHasAPixel_data() {
  QTest::addColumn<int>("count");
  QTest::addColumn<double>("size");
  QTest::newRow("large cells") << 10 << 20.0;
  QTest::newRow("uneven cells") << 37 << 1.3;
  QTest::newRow("a pixel each") << 100 << 1.0;
  QTest::newRow("a bit less") << 100 << 0.97;
  QTest::newRow("a third") << 100 << 1.0 / 3;
  QTest::newRow("many to a pixel") << 5000 << 0.1871;
  QTest::newRow("all in one pixel") << 30 << 0.001;
}

void HeatmapDataTest::everyCellHasAPixel() {
  QFETCH(int, count);
  QFETCH(double, size);
  const CellAxis axis{count, size};
  int next = 0;
  for (int pixel = 0; pixel < axis.length(); ++pixel) {
    const CellSpan span = axis.cellsAt(pixel);
    QVERIFY(span.count() >= 1);
    // Either the same cell as before or the one behind it: none is left out.
    QVERIFY(span.first == next || (size >= 1 && span.end == next));
    next = span.end;
    for (int cell = span.first; cell < span.end; ++cell) {
      QVERIFY(axis.begin(cell) <= pixel && pixel < axis.end(cell));
    }
  }
  QCOMPARE(next, count);
  QCOMPARE(axis.cellsAt(-1).count(), 0);
  QCOMPARE(axis.cellsAt(axis.length()).count(), 0);
}

void HeatmapDataTest::sorting() {
  HeatmapData data(channels(1));
  for (const double sqnrDb : {30.0, 10.0, kInfinity, 20.0}) data.addRow({}, values({sqnrDb}));
  data.addRow({}, {}, Figure::Kind::NotQuantized);
  QCOMPARE(rowOrder(data, {}, {}), (std::vector{0, 1, 2, 3, 4}));
  QCOMPARE(rowOrder(data, {0, true}, {}), (std::vector{1, 3, 0, 2, 4}));
  QCOMPARE(rowOrder(data, {0, false}, {}), (std::vector{2, 0, 3, 1, 4}));
  QCOMPARE(rowOrder(data, {kSortByRow, true}, {}), (std::vector{1, 3, 0, 2, 4}));
}

void HeatmapDataTest::rowsAreFiltered() {
  HeatmapData data(channels(1));
  for (const bool mover : {false, true, false}) {
    HeatmapRow row;
    row.dataMover = mover;
    data.addRow(row, values({40}));
  }
  data.addRow({}, {}, Figure::Kind::NotQuantized);
  QCOMPARE(rowOrder(data, {}, {.dataMovers = false}), (std::vector{0, 2, 3}));
  QCOMPARE(rowOrder(data, {}, {.withoutFigures = false}), (std::vector{0, 1, 2}));
}

void HeatmapDataTest::countsWorse() {
  HeatmapData data(channels(3));
  data.addRow({}, values({25, 20, 19.9}));
  data.addRow({}, values({5}));
  const std::vector<int> both{0, 1};
  const std::vector<int> second{1};
  // Position 0.75 of the fixed scale is 20 dB.
  QCOMPARE(countWorse(data, both, 0.75, data.measure(0)), std::size_t{2});
  QCOMPARE(countWorse(data, second, 0.75, data.measure(0)), std::size_t{1});
}

void HeatmapDataTest::tablesOfASample() {
  const AnalysisResult& result = *test::sampleSnapshot()->result;
  const HeatmapData metrics = buildHeatmap(result, HeatmapMode::Metrics, ErrorKind::Local, false);
  QCOMPARE(metrics.rows(), static_cast<int>(result.layers.size()));
  QCOMPARE(metrics.columns(), static_cast<int>(2 * metricCatalogue().size()));
  const HeatmapData samples =
      buildHeatmap(result, HeatmapMode::Samples, ErrorKind::Accumulated, false);
  QCOMPARE(samples.columns(), 8);
  const HeatmapData perChannel =
      buildHeatmap(result, HeatmapMode::Channels, ErrorKind::Local, false);
  for (int row = 0; row < metrics.rows(); ++row) {
    const LayerResult& layer = result.layers[static_cast<std::size_t>(row)];
    if (!layer.local) {
      QVERIFY(metrics.figure(row, 0)->kind ==
              (layer.quantized ? Figure::Kind::NotComputed : Figure::Kind::NotQuantized));
      continue;
    }
    if (layer.local->total.sqnrDb)
      QCOMPARE(metrics.figure(row, 0)->value, *layer.local->total.sqnrDb);
    const std::vector<double>& sqnrDb = layer.local->channelSqnrDb;
    QVERIFY(static_cast<int>(sqnrDb.size()) <= perChannel.columns());
    for (std::size_t channel = 0; channel < sqnrDb.size(); ++channel) {
      const std::optional<Figure> figure = perChannel.figure(row, static_cast<int>(channel));
      if (!std::isnan(sqnrDb[channel])) QCOMPARE(figure->value, sqnrDb[channel]);
    }
    if (static_cast<int>(sqnrDb.size()) < perChannel.columns()) {
      QVERIFY(!perChannel.figure(row, perChannel.columns() - 1));
    }
  }
}

void HeatmapDataTest::textHasFullPrecision() {
  HeatmapData data(channels(2));
  data.addRow({.node = {},
               .name = QStringLiteral("conv"),
               .path = {},
               .op = QStringLiteral("Conv"),
               .tip = QStringLiteral("/a/conv"),
               .scope = {}},
              values({12.345678901}));
  QCOMPARE(heatmapText(data, std::vector{0}),
           QStringLiteral("Layer\tOperators\tchannel 0 (dB)\tchannel 1 (dB)\n"
                          "/a/conv\tConv\t12.345678901\t\n"));
  QCOMPARE(cellWords(data, 0, 0, Digits::All), QStringLiteral("12.345678901 dB"));
  QCOMPARE(cellWords(data, 0, 0, Digits::Three), QStringLiteral("12.3 dB"));
  QCOMPARE(cellWords(data, 0, 1, Digits::Three), QStringLiteral("the layer has no such channel"));
}

// Channels of one layer have no operators.
void HeatmapDataTest::rowsOfALayerAreChannels() {
  LayerMaps maps;
  maps.own.channels = {.channels = 2, .samples = 1, .sqnrDb = {12.5, 20}};
  const HeatmapData data = buildLayerHeatmap(maps, NodeId(3), ErrorKind::Local, false);
  QVERIFY(heatmapText(data, std::vector{1}).startsWith(QStringLiteral("Channel\tsample 0 (dB)")));
  QVERIFY(heatmapText(data, std::vector{1}).contains(QStringLiteral("\nchannel 1\t20")));
  QVERIFY(cornerTip(data).contains(QStringLiteral("the channels")));
}

QUANTSCOPE_TEST(HeatmapDataTest)
#include "test_heatmap_data.moc"

#include <QtTest>

#include "support/quant_params.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/look/text.h"
#include "widgets/words/channel_series.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

ChannelSeries seriesOf(std::vector<Range> channels) {
  ChannelSeries series;
  series.channels = std::move(channels);
  return series;
}

template <class Numbers>
QString joinedNumbers(const Numbers& numbers) {
  QStringList words;
  for (const auto number : numbers) words << QString::number(number);
  return words.join(u' ');
}

SnapshotPtr perTensorSnapshot() {
  AnalysisRequest request = sampleRequest("digits_mobilenet", 2);
  request.config.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.granularity = Granularity{}; });
  return sampleSnapshots(request).back();
}

}  // namespace

class ChannelSeriesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void dominating_data();
  void dominating();
  void saysWhatOneGridCosts();
  void weightsWithTheirGrids();
  void weightsUnderOneGrid();
  void withoutWeights();
  void outputsWithTheirGrid();
};

void ChannelSeriesTest::dominating_data() {
  QTest::addColumn<QList<float>>("bounds");  // low, high, low, high …
  QTest::addColumn<QString>("channels");
  QTest::addColumn<QString>("order");
  QTest::addColumn<QString>("words");
  QTest::newRow("positive")
      << QList<float>{0, 1, 0, 8, 0, 2} << "1"
      << "1 2 0"
      << "Channel 1 sets the range: it reaches 8.00, the median channel 2.00.";
  QTest::newRow("negative") << QList<float>{-1, 0, -2, -1, -9, 0} << "2"
                            << "2 1 0"
                            << "Channel 2 sets the range: it reaches −9.00, the median channel "
                               "2.00.";
  QTest::newRow("two ends") << QList<float>{-5, 1, -1, 1, -1, 8} << "0 2"
                            << "2 0 1"
                            << "Channels 0 (−5.00) and 2 (8.00) set the range; the median channel "
                               "reaches 5.00.";
  QTest::newRow("both ends are one channel's") << QList<float>{-1, 1, -5, 8, -1, 1} << "1"
                                               << "1 0 2"
                                               << "Channel 1 sets the range: it reaches 8.00, the "
                                                  "median channel 1.00.";
  QTest::newRow("single") << QList<float>{-1, 1} << "0"
                          << "0"
                          << "It has a single channel.";
}

void ChannelSeriesTest::dominating() {
  QFETCH(QList<float>, bounds);
  std::vector<Range> channels;
  for (int i = 0; i < bounds.size(); i += 2)
    channels.push_back(rangeFrom(bounds[i], bounds[i + 1]));
  const ChannelSeries series = seriesOf(channels);
  QTEST(joinedNumbers(dominatingChannels(series)), "channels");
  QTEST(joinedNumbers(channelsBySize(series)), "order");
  QTEST(text(dominanceWords(series)), "words");
}

void ChannelSeriesTest::saysWhatOneGridCosts() {
  ChannelSeries series = seriesOf({rangeFrom(-127, 127), rangeFrom(-5, 4), rangeFrom(-9, 9)});
  QuantParams params;
  params.qmin = -127;
  params.grids = {{1, 0}};
  series.params = params;
  series.grids = {params.representable(params.grids[0])};
  QCOMPARE(text(dominanceWords(series)),
           QStringLiteral("Channel 0 sets the range: it reaches 127, the median channel 9.00. One "
                          "grid serves all: the median channel uses 19 of its 255 codes."));
}

// What is quantized is what was folded: the widest channel fills its grid.
void ChannelSeriesTest::weightsWithTheirGrids() {
  const AnalysisSnapshot& snapshot = *sampleSnapshot();
  const ChannelSeries series =
      weightSeries(snapshot, layerNamed(*snapshot.result, "/stem/conv/Conv"));
  QVERIFY(series.channels.size() > 1);
  QCOMPARE(series.grids.size(), series.channels.size());
  for (std::size_t i = 0; i < series.channels.size(); ++i) {
    const double step = series.params->grids[i].scale;
    QVERIFY(std::abs(reach(series.channels[i]) - reach(series.grids[i])) <= 1.01 * step);
  }
  QVERIFY(text(dominanceWords(series)).endsWith(QStringLiteral("a grid of its own.")));
}

void ChannelSeriesTest::weightsUnderOneGrid() {
  const SnapshotPtr snapshot = perTensorSnapshot();
  const ChannelSeries series =
      weightSeries(*snapshot, layerNamed(*snapshot->result, "/stem/conv/Conv"));
  QVERIFY(series.channels.size() > 1);
  QCOMPARE(series.grids.size(), std::size_t{1});
  const std::size_t widest = dominatingChannels(series).front();
  QVERIFY(std::abs(reach(series.channels[widest]) - reach(series.grids[0])) <=
          1.01 * series.params->grids[0].scale);
  QVERIFY(text(dominanceWords(series)).contains(QStringLiteral("One grid serves all")));
}

void ChannelSeriesTest::withoutWeights() {
  const AnalysisSnapshot& snapshot = *sampleSnapshot();
  for (std::size_t i = 0; i < snapshot.result->layers.size(); ++i) {
    const ChannelSeries series = weightSeries(snapshot, i);
    QCOMPARE(series.channels.empty(), !snapshot.result->layers[i].weight.has_value());
    QCOMPARE(series.channels.empty(), !series.missing.empty());
  }
}

void ChannelSeriesTest::outputsWithTheirGrid() {
  for (const RangeRow& row : rangeRows(*sampleSnapshot())) {
    const ChannelSeries series = outputSeries(row);
    QCOMPARE(series.channels.empty(), row.observation->channelAxis < 0);
    if (series.channels.empty()) continue;
    double largest = 0;
    for (const Range& channel : series.channels) largest = std::max(largest, reach(channel));
    QCOMPARE(largest, static_cast<double>(row.observation->absmax()));
    QCOMPARE(series.grids.empty(), !row.grid.has_value());
  }
}

QUANTSCOPE_TEST(ChannelSeriesTest)
#include "test_channel_series.moc"

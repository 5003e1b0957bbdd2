#include <QtTest>
#include <cmath>

#include "analysis/analyze.h"
#include "analysis/errors/error_maps.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "engine/execution.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;
using quantscope::test::MemorySource;
using quantscope::test::randomSamples;

namespace {

constexpr const char* kMappedNetwork = R"(
  input x:float[1,3,6,5]
  w1:float[4,3,3,3]
  w2:float[7,24]
  a = Conv(x, w1) pads=[1,1,1,1] @c1
  r = Relu(a) @r1
  p = MaxPool(r) kernel_shape=[2,2] strides=[1,2] @pool
  t = Transpose(p) perm=[0,2,3,1] @move
  f = Flatten(p) @flat
  s = Slice(f, b:int64[1]{0}, e:int64[1]{24}, ax:int64[1]{1}) @slice
  g = Gemm(s, w2) transB=1 @fc
  output g
  output t
)";
constexpr std::size_t kSamples = 5;

/// A calibrated network under the default configuration.
struct MappedCase {
  explicit MappedCase(int threads, const char* keys = "")
      : workers(threads),
        graph(graphFromText(kMappedNetwork)),
        engine(graph, workers),
        set(std::make_unique<MemorySource>(graph->inputs()[0],
                                           randomSamples({1, 3, 6, 5}, kSamples, 3))),
        config(parseConfiguration(std::string("{\"quantscope\": 1") + keys + "}", "config")),
        job(workers),
        observations(calibrate(engine, set, {}, job)),
        model(quantizeModel(engine, config, observations)),
        memory(std::size_t{64} << 20) {}

  std::size_t layer(const std::string& name) const {
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for (const NodeId node : model.layers[i].layer.members) {
        if ((*graph)[node].name == name) return i;
      }
    }
    throw std::runtime_error("no layer " + name);
  }
  ChannelMap channels(const std::string& name, MapKind kind) {
    return measureChannelMap(engine, model, set, layer(name), kind, memory, job);
  }
  std::optional<PixelMap> pixels(const std::string& name, MapKind kind, std::size_t sample,
                                 std::size_t channel) {
    return measurePixelMap(engine, model, set, layer(name), kind, sample, channel, memory, job);
  }
  /// A value of one sample, by a run of the whole network.
  Tensor value(const std::string& name, std::size_t sample, const AppliedQuantization* applied) {
    const ValueId id = graph->findValue(name);
    const std::span<const ValueId> inputs = graph->inputs();
    const Plan plan(engine, {{inputs.begin(), inputs.end()}, {id}, {id}});
    Execution execution(plan, set.read(sample).inputs, applied, 1);
    while (!execution.finished()) execution.step();
    return toFloat32(toLayout(execution.value(id), Layout::Plain));
  }

  Workers workers;
  std::shared_ptr<const Graph> graph;
  Engine engine;
  SampleSet set;
  Configuration config;
  JobContext job;
  Observations observations;
  QuantizedModel model;
  AnalysisMemory memory;
};

double sqnrOf(const PixelMap& map) {
  double signal = 0;
  double error = 0;
  for (std::size_t i = 0; i < map.expected.size(); ++i) {
    const double x = static_cast<double>(map.expected[i]);
    const double y = static_cast<double>(map.actual[i]);
    signal += x * x;
    error += (x - y) * (x - y);
  }
  return 10 * std::log10(signal / error);
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b || std::abs(a - b) < 1e-9 * std::abs(b);
}

}  // namespace

class ErrorMapsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void channelsAreTheSumsOfPixels_data();
  void channelsAreTheSumsOfPixels();
  void pixelsAreThoseOfWholeRuns();
  void agreesWithTheReport();
  void anyThreadCountGivesTheSameBits();
  void nothingWhereNothingIsQuantized();
  void refusesWhatIsNotThere();
};

void ErrorMapsTest::channelsAreTheSumsOfPixels_data() {
  QTest::addColumn<QByteArray>("layer");
  QTest::addColumn<int>("channels");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("convolution") << QByteArray("c1") << 4 << 6 << 5;
  QTest::newRow("channels last") << QByteArray("move") << 4 << 5 << 2;
  QTest::newRow("features") << QByteArray("fc") << 7 << 1 << 1;
}

void ErrorMapsTest::channelsAreTheSumsOfPixels() {
  QFETCH(const QByteArray, layer);
  QFETCH(const int, channels);
  MappedCase network(2);
  for (const MapKind kind : {MapKind::Local, MapKind::Accumulated}) {
    const ChannelMap map = network.channels(layer.toStdString(), kind);
    if (map.samples == 0) {
      QCOMPARE(layer, QByteArray("move"));  // it has no error of its own
      continue;
    }
    QCOMPARE(map.channels, static_cast<std::size_t>(channels));
    QCOMPARE(map.samples, kSamples);
    for (std::size_t channel = 0; channel < map.channels; ++channel) {
      for (std::size_t sample = 0; sample < kSamples; ++sample) {
        const auto pixels = network.pixels(layer.toStdString(), kind, sample, channel);
        QVERIFY(pixels.has_value());
        QTEST(static_cast<int>(pixels->height), "height");
        QTEST(static_cast<int>(pixels->width), "width");
        const double expected = sqnrOf(*pixels);
        QVERIFY2(same(map.at(channel, sample), expected),
                 qPrintable(QString("%1 %2").arg(map.at(channel, sample)).arg(expected)));
      }
    }
  }
}

void ErrorMapsTest::pixelsAreThoseOfWholeRuns() {
  MappedCase network(2);
  const Tensor expected = network.value("r", 3, nullptr);
  const Tensor actual = network.value("r", 3, &network.model.applied);
  const auto pixels = network.pixels("c1", MapKind::Accumulated, 3, 2);
  QVERIFY(pixels.has_value());
  for (std::size_t i = 0; i < 30; ++i) {
    QCOMPARE(pixels->expected[i], expected.values<float>()[2 * 30 + i]);
    QCOMPARE(pixels->actual[i], actual.values<float>()[2 * 30 + i]);
  }
  QVERIFY(pixels->expected != pixels->actual);
}

void ErrorMapsTest::agreesWithTheReport() {
  MappedCase network(2);
  const AnalysisResult result =
      analyze(network.engine, network.config, network.model, network.observations, network.set, {},
              network.memory, network.job);
  // One channel alone is the whole layer.
  const std::size_t layer = network.layer("fc");
  const ChannelMap map = network.channels("fc", MapKind::Local);
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    double signal = 0;
    double error = 0;
    for (std::size_t channel = 0; channel < map.channels; ++channel) {
      const auto pixels = network.pixels("fc", MapKind::Local, sample, channel);
      const double x = static_cast<double>(pixels->expected[0]);
      const double y = static_cast<double>(pixels->actual[0]);
      signal += x * x;
      error += (x - y) * (x - y);
    }
    const auto reported = static_cast<double>(result.layers[layer].local->sampleSqnrDb[sample]);
    QVERIFY(std::abs(10 * std::log10(signal / error) - reported) < 1e-4);
  }
}

void ErrorMapsTest::anyThreadCountGivesTheSameBits() {
  const ChannelMap one = MappedCase(1).channels("fc", MapKind::Accumulated);
  const ChannelMap many = MappedCase(3).channels("fc", MapKind::Accumulated);
  QCOMPARE(one.samples, kSamples);
  QVERIFY(one.sqnrDb == many.sqnrDb);
}

void ErrorMapsTest::nothingWhereNothingIsQuantized() {
  MappedCase network(2, R"(, "nodes": {"c1": "fp32"})");
  QCOMPARE(network.channels("c1", MapKind::Local).samples, std::size_t{0});
  QVERIFY(!network.pixels("c1", MapKind::Local, 0, 0));
  QVERIFY(network.pixels("c1", MapKind::Accumulated, 0, 0).has_value());
}

void ErrorMapsTest::refusesWhatIsNotThere() {
  MappedCase network(2);
  QVERIFY_EXCEPTION_THROWN(network.pixels("c1", MapKind::Local, kSamples, 0), Error);
  QVERIFY_EXCEPTION_THROWN(network.pixels("c1", MapKind::Local, 0, 4), Error);
}

QUANTSCOPE_TEST(ErrorMapsTest)
#include "test_error_maps.moc"

#include <QtTest>
#include <limits>

#include "base/workers.h"
#include "calibration/calibrate.h"
#include "calibration/observers/observations_bytes.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Calibration derives the observations of a ReLU from its input; they equal, bit by bit, those of
/// a copy of the same numbers that is counted itself.
class RectifiedValuesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sameAsCounted_data();
  void sameAsCounted();
};

namespace {

constexpr const char* kRectified = R"(
  input x:float[2,3,16,20]
  y = Relu(x)
  z = Relu(y)
  output z
)";
constexpr const char* kCounted = R"(
  input x:float[2,3,16,20]
  a = Relu(x)
  y = Identity(a)
  b = Relu(y)
  z = Identity(b)
  output z
)";

Observations calibrated(const std::shared_ptr<const Graph>& graph,
                        const std::vector<Tensor>& samples, const ObservationSettings& settings) {
  const Workers workers(2);
  const Engine engine(graph, workers);
  JobContext job(workers);
  MemorySource source(graph->inputs()[0], samples);
  return calibrate(engine, source, settings, job);
}

// The observation of one value as bytes.
std::string bytesOf(const Observations& all, const Graph& graph, const char* value,
                    const Graph& names) {
  std::vector<std::optional<Observation>> byValue(names.values().size());
  byValue[names.findValue(value).at()] = all.byValue()[graph.findValue(value).at()];
  return observationsToBytes({all.samples(), std::move(byValue)}, names);
}

}  // namespace

void RectifiedValuesTest::sameAsCounted_data() {
  QTest::addColumn<std::vector<float>>("strange");
  QTest::addColumn<int>("batch");
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  QTest::newRow("finite") << std::vector<float>{} << 1;
  QTest::newRow("zeros and denormals") << std::vector<float>{0, -0.0F, 1e-40F, -1e-40F} << 1;
  QTest::newRow("batches") << std::vector<float>{} << 3;
  QTest::newRow("not finite") << std::vector<float>{infinity, -infinity, nan, -infinity} << 1;
  QTest::newRow("not finite, batches") << std::vector<float>{-infinity, nan} << 2;
}

void RectifiedValuesTest::sameAsCounted() {
  QFETCH(const std::vector<float>, strange);
  QFETCH(const int, batch);
  std::vector<Tensor> samples = randomSamples({2, 3, 16, 20}, 5, 7);
  std::ranges::copy(strange, samples[1].mutableValues<float>().begin() + 11);
  ObservationSettings settings;
  settings.batch = static_cast<std::size_t>(batch);
  settings.reportAxis = 2;
  const auto rectified = graphFromText(kRectified);
  const auto counted = graphFromText(kCounted);
  const Observations actual = calibrated(rectified, samples, settings);
  const Observations expected = calibrated(counted, samples, settings);
  for (const char* value : {"x", "y", "z"}) {
    QVERIFY2(bytesOf(actual, *rectified, value, *rectified) ==
                 bytesOf(expected, *counted, value, *rectified),
             value);
  }
}

QUANTSCOPE_TEST(RectifiedValuesTest)
#include "test_rectified_values.moc"

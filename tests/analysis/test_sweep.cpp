#include <QtTest>

#include "analysis/sensitivity/sweep.h"
#include "calibration/calibrate.h"
#include "calibration/open_samples.h"
#include "precision/config/configuration.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Which values of the base a sweep keeps: those that runs of the changes begin with.
class SweepTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void baseIsKeptWhereChangesBegin_data();
  void baseIsKeptWhereChangesBegin();
};

namespace {

constexpr const char* kTwoHeads = R"(
  input x:float[1,4,6,6]
  u:float[8,4,3,3]
  v:float[4,8,1,1]
  w:float[5,8,1,1]
  a = Conv(x, u) @trunk
  r = Relu(a)
  s = Conv(r, v) @left
  y = Relu(s)
  z = Conv(r, w) @right
  output y
  output z
)";

}  // namespace

void SweepTest::baseIsKeptWhereChangesBegin_data() {
  QTest::addColumn<QString>("base");
  QTest::addColumn<QString>("change");
  QTest::addColumn<QStringList>("kept");
  const QString right = R"({"quantscope": 1, "nodes": {"right": "fp32"}})";
  const QString nothing = R"({"quantscope": 1, "default": "fp32"})";
  const QString onlyRight =
      R"({"quantscope": 1, "default": "fp32", "nodes": {"right": {"weight": {"type": "int8"}}}})";
  QTest::newRow("a head of a quantized network")
      << R"({"quantscope": 1})" << right << QStringList{"r", "y"};
  QTest::newRow("a head of the float network")
      << nothing << onlyRight << QStringList{"r", "y", "z"};
  // The convolution and the ReLU are one layer: both run again.
  QTest::newRow("the end of a layer")
      << R"({"quantscope": 1})"
      << R"({"quantscope": 1, "nodes": {"left": {"output": {"range": [0, 0.125]}}}})"
      << QStringList{"r", "z"};
  QTest::newRow("no change") << R"({"quantscope": 1})"
                             << R"({"quantscope": 1})" << QStringList{"y", "z"};
}

void SweepTest::baseIsKeptWhereChangesBegin() {
  QFETCH(QString, base);
  QFETCH(QString, change);
  QFETCH(QStringList, kept);
  const Workers workers(2);
  JobContext job(workers);
  const auto graph = graphFromText(kTwoHeads);
  const Engine engine(graph, workers);
  SampleSet samples(openSamples("random:3", *graph, {}));
  const Observations observations = calibrate(engine, samples, {}, job);
  const auto quantized = [&](const QString& config) {
    return quantizeModel(engine, parseConfiguration(config.toStdString(), "config"), observations);
  };
  const QuantizedModel from = quantized(base);
  const QuantizedModel to = quantized(change);
  AnalysisMemory memory(std::size_t{64} << 20);
  Sweep sweep(engine, from, {graph->outputs().begin(), graph->outputs().end()}, samples, memory,
              job);
  const std::vector<QuantizationChanges> changes{changesBetween(from.applied, to.applied)};
  sweep.run(changes, "sweeping");
  const ValueKeys keys(engine, &from.applied);
  for (std::size_t i = 0; i < samples.feedCount(); ++i) {
    const Feed feed = samples.read(i);
    QStringList found;
    for (const char* name : {"a", "r", "s", "y", "z"}) {
      const ContentId key =
          Evaluator::key({feed.content, feed.inputs, feed.batch}, keys, graph->findValue(name));
      if (memory.activations.find(key)) found << name;
    }
    QCOMPARE(found, kept);
  }
}

QUANTSCOPE_TEST(SweepTest)
#include "test_sweep.moc"

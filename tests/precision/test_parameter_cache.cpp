#include <QtTest>

#include "precision/parameters/parameter_cache.h"
#include "precision/quantized_case.h"
#include "support/configuration_keys.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kTwoConvolutions = R"(
  input x:float[1,2,3,3]
  w1:float[3,2,1,1]{1, 2, 3, -4, 5, 6}
  b1:float[3]{0.5, -1, 2}
  w2:float[3,3,1,1]{1, 2, 3, 4, 5, 6, 7, 8, 9}
  a = Conv(x, w1, b1) @c1
  b = Conv(a, w2) @c2
  c = Add(a, b) @sum
  output c
)";

constexpr std::size_t kMuch = std::size_t{16} << 20;

std::vector<Tensor> samples() {
  Tensor sample(ElementType::Float32, {1, 2, 3, 3});
  float next = -4;
  for (float& x : sample.mutableValues<float>()) x = next += 0.5F;
  return {sample};
}

/// A calibrated network, whose engine knows its content.
struct Network {
  Network()
      : calibrated(kTwoConvolutions, samples()),
        engine(calibrated.graph, calibrated.workers, ContentHasher().add(kTwoConvolutions).id()) {}

  QuantizedModel cold(const char* keys) const {
    return quantizeModel(engine, configurationWith(keys), calibrated.observations);
  }
  std::shared_ptr<const QuantizedModel> from(ParameterCache& cache, const char* keys) const {
    return quantizeModel(engine, configurationWith(keys), calibrated.observations, cache);
  }

  QuantizedCase calibrated;
  Engine engine;
};

}  // namespace

class ParameterCacheTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aModelIsQuantizedOnce();
  void untouchedNodesAreShared();
  void whatDiffersIsNotTakenOver_data();
  void whatDiffersIsNotTakenOver();
  void variantsDescribeOneLayer_data() { whatDiffersIsNotTakenOver_data(); }
  void variantsDescribeOneLayer();
  void otherObservationsCount();
  void nothingIsKeptWithoutABudget();
};

void ParameterCacheTest::aModelIsQuantizedOnce() {
  const Network network;
  ParameterCache cache(kMuch);
  const auto first = network.from(cache, "");
  network.from(cache, R"("nodes": {"c2": "fp32"})");
  QCOMPARE(network.from(cache, "").get(), first.get());
}

void ParameterCacheTest::untouchedNodesAreShared() {
  const Network network;
  ParameterCache cache(kMuch);
  const auto before = network.from(cache, "");
  const auto after = network.from(cache, R"("nodes": {"c2": "fp32"})");
  const Graph& graph = *network.calibrated.graph;
  const NodeId first = graph.findNode("c1");
  const NodeId second = graph.findNode("c2");
  QVERIFY(before->applied.shared(first) != nullptr);
  QCOMPARE(after->applied.shared(first).get(), before->applied.shared(first).get());
  QVERIFY(after->applied.shared(second) != before->applied.shared(second));
}

void ParameterCacheTest::whatDiffersIsNotTakenOver_data() {
  QTest::addColumn<QByteArray>("before");
  QTest::addColumn<QByteArray>("after");
  QTest::newRow("type of weights")
      << QByteArray() << QByteArray(R"("nodes": {"c1": {"weight": {"type": "int4"}}})");
  QTest::newRow("observer")
      << QByteArray()
      << QByteArray(R"("default": {"activation": {"observer": "percentile:10:90"}})");
  QTest::newRow("reduced range") << QByteArray(R"("backend": "x86")")
                                 << QByteArray(R"("backend": "qnnpack")");
  QTest::newRow("bias") << QByteArray(R"("bias": "float")") << QByteArray(R"("bias": "int32")");
  QTest::newRow("integer bias behind another input")
      << QByteArray(R"("bias": "int32")")
      << QByteArray(R"("bias": "int32", "nodes": {"c1": {"activation": {"range": [-9, 9]}}})");
  QTest::newRow("convention") << QByteArray() << QByteArray(R"("convention": "pytorch")");
  QTest::newRow("range by hand") << QByteArray()
                                 << QByteArray(
                                        R"("nodes": {"c2": {"activation": {"range": [-1, 1]}}})");
  QTest::newRow("apart and together")
      << QByteArray(R"("groups": {})") << QByteArray(R"("groups": {"join": [["c1", "c2"]]})");
  QTest::newRow("encoded output")
      << QByteArray()
      << QByteArray(R"("encodings": {"c1": {"type": "uint8", "scale": [0.5], "zero_point": [3]}})");
  QTest::newRow("encoded weight")
      << QByteArray(R"("encodings": {"w2": {"type": "int8", "scale": [0.5]}})")
      << QByteArray(R"("encodings": {"w2": {"type": "int8", "scale": [0.3]}})");
  QTest::newRow("equalized") << QByteArray()
                             << QByteArray(R"("repairs": {"equalize": {"c2": [1, 2, 4]}})");
}

// Both ways round, against models that are quantized from nothing.
void ParameterCacheTest::whatDiffersIsNotTakenOver() {
  QFETCH(const QByteArray, before);
  QFETCH(const QByteArray, after);
  const Network network;
  ParameterCache cache(kMuch);
  QVERIFY(!changesBetween(network.cold(before).applied, network.cold(after).applied).empty());
  for (const QByteArray& keys : {before, after, before}) {
    const auto warm = network.from(cache, keys);
    const QuantizedModel cold = network.cold(keys);
    QVERIFY(changesBetween(cold.applied, warm->applied).empty());
    QVERIFY(cold.groupParams == warm->groupParams);
  }
}

void ParameterCacheTest::variantsDescribeOneLayer() {
  QFETCH(const QByteArray, before);
  QFETCH(const QByteArray, after);
  const Network network;
  ParameterCache cache(kMuch);
  for (const QByteArray& keys : {before, after}) {
    const QuantizedModel whole = network.cold(keys);
    for (const LayerQuantization& layer : whole.layers) {
      const QuantizedVariant variant =
          quantizeVariant(network.engine, configurationWith(keys.constData()),
                          network.calibrated.observations, cache, layer.layer.lead());
      QVERIFY(changesBetween(whole.applied, variant.applied).empty());
      QVERIFY(variant.layer && variant.layer->layer.members == layer.layer.members);
      QCOMPARE(variant.layer->quantized, layer.quantized);
      QVERIFY(variant.layer->weight == layer.weight && variant.layer->output == layer.output);
      QCOMPARE(variant.layer->equalized, layer.equalized);
    }
  }
}

void ParameterCacheTest::otherObservationsCount() {
  const Network network;
  std::vector<Tensor> wider = samples();
  for (float& x : wider[0].mutableValues<float>()) x *= 3;
  const QuantizedCase other(kTwoConvolutions, wider);
  ParameterCache cache(kMuch);
  const auto mine = network.from(cache, "");
  const auto others = quantizeModel(network.engine, {}, other.observations, cache);
  QVERIFY(others->groupParams == quantizeModel(network.engine, {}, other.observations).groupParams);
  QVERIFY(others->groupParams != mine->groupParams);
}

void ParameterCacheTest::nothingIsKeptWithoutABudget() {
  const Network network;
  ParameterCache cache(0);
  const auto first = network.from(cache, "");
  const auto second = network.from(cache, "");
  QVERIFY(first != second);
  QCOMPARE(cache.bytes(), std::size_t{0});
}

QUANTSCOPE_TEST(ParameterCacheTest)
#include "test_parameter_cache.moc"

#include <QtTest>

#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"
#include "jobs/sample_network.h"
#include "search/widening.h"
#include "support/test_main.h"

using namespace quantscope;

/// The most sensitive layers in a wider type, where layers are joined by hand.
class WideningTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void joinedLayersAreWidenedTogether();
  void layersInFloatAreNotJoined();
  void rowsWithoutAChangeTellNothing();
};

namespace {

/// The values of "A" (by way of its Relu) and of "B" are on one grid.
struct JoinedNetwork {
  JoinedNetwork() {
    observations = calibrate(*network.model.engine, *network.data, observationSettings(config, 1),
                             network.job);
    runs = std::make_unique<TrialRuns>(*network.model.engine, config, observations, *network.data,
                                       labels, network.memory, network.job);
    choices = std::make_unique<TypeChoices>(network.model.engine, config, runs->quantize(config));
  }

  static constexpr const char* kText = R"(
    input x:float[1,6]
    a:float[6,5]
    b:float[6,5]
    c:float[5,4]
    h = MatMul(x, a) @A
    r = Relu(h) @relu
    k = MatMul(x, b) @B
    s = Add(r, k) @sum
    y = MatMul(s, c) @C
    output y
  )";

  // "A", then "C" hurt most.
  std::vector<std::size_t> order(
      QuantType wider, QuantType measured = QuantType::Int8,
      SensitivityRequest::Around around = SensitivityRequest::Around::Float) const {
    std::vector<SensitivityRow> rows;
    for (const auto& [node, sqnrDb] : {std::pair("A", 10.0), {"C", 15.0}, {"B", 20.0}}) {
      SensitivityRow& row = rows.emplace_back();
      row.node = node;
      row.type = measured;
      row.outputs.emplace_back().error.sqnrDb = sqnrDb;
    }
    return wideningOrder(rows, around, *choices, wider);
  }
  QString orderText(QuantType wider) const {
    QString text;
    for (const std::size_t layer : order(wider)) {
      text += QString::fromStdString(choices->name(layer)) + u' ';
    }
    return text.trimmed();
  }
  std::string firstInWords(QuantType wider) const {
    return wideningEdit(*choices, order(wider), 1, wider).sentence;
  }

  test::TextNetwork network{kText, 4};
  Configuration config = parseConfiguration(
      R"({"quantscope": 1, "backend": "generic", "groups": {"join": [["relu", "B"]]}})", "joined");
  Labels labels;
  Observations observations;
  std::unique_ptr<TrialRuns> runs;
  std::unique_ptr<TypeChoices> choices;
};

}  // namespace

// A number of layers that would take one of them takes both.
void WideningTest::joinedLayersAreWidenedTogether() {
  const JoinedNetwork joined;
  QCOMPARE(joined.orderText(QuantType::Int16), QString("A B C"));
  QCOMPARE(joined.firstInWords(QuantType::Int16),
           std::string("set the 2 most sensitive layers to INT16"));
  const WideningCurve curve = measureWidening(*joined.choices, joined.order(QuantType::Int16),
                                              QuantType::Int16, {0, 1, 2, 3}, *joined.runs, {});
  QCOMPARE(curve.size(), std::size_t{4});
  QCOMPARE(curve[1].count, std::size_t{1});
  QVERIFY(curve[1].point.bytes > curve[0].point.bytes);
  QVERIFY(curve[2].point.bytes == curve[1].point.bytes);
  QVERIFY(curve[3].point.bytes > curve[2].point.bytes);
}

void WideningTest::layersInFloatAreNotJoined() {
  const JoinedNetwork joined;
  QCOMPARE(joined.orderText(QuantType::Float32), QString("A C B"));
  QCOMPARE(joined.firstInWords(QuantType::Float32), std::string("set A to float"));
}

// In the types that the layers have the network is what it is.
void WideningTest::rowsWithoutAChangeTellNothing() {
  const JoinedNetwork joined;
  const auto around = SensitivityRequest::Around::Configuration;
  QVERIFY(joined.order(QuantType::Int16, QuantType::Int8, around).empty());
  QVERIFY(joined.order(QuantType::Int16, QuantType::Int4, around).size() == 3);
  QVERIFY(joined.order(QuantType::Int16, QuantType::Int16, around).size() == 3);
}

QUANTSCOPE_TEST(WideningTest)
#include "test_widening.moc"

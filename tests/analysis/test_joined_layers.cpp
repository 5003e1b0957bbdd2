#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_sensitivity.h"
#include "support/test_main.h"

using namespace quantscope;
using nlohmann::ordered_json;

/// Layers joined by hand have one row of a sensitivity analysis where they share a grid, and rows
/// of their own where they do not.
class JoinedLayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weightsAloneShareNothing();
  void floatSharesNothing();
  void whatStaysInFloatIsLeftOut();
  void whatHasWeightsAloneJoinsWhileItIsTried();
  void refusedRowsNameTheOthers();
};

namespace {

constexpr const char* kTwoBranches = R"(
  input x:float[1,6]
  a:float[6,5]
  b:float[6,5]
  h = MatMul(x, a) @A
  k = MatMul(x, b) @B
  y = Add(h, k) @sum
  output y
)";

ordered_json resultOf(const std::string& keys, const SensitivityRequest& request) {
  test::TextNetwork network(kTwoBranches, 4);
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "backend": "generic")" + (keys.empty() ? "" : ", " + keys) + "}",
      "config");
  SensitivityJob job;
  job.request = request;
  return ordered_json::parse(runSensitivity(network.model, config, *network.data, *network.data, {},
                                            job, network.memory, network.job));
}

ordered_json rowsOf(const std::string& keys, const SensitivityRequest& request) {
  return resultOf(keys, request)["nodes"];
}

// Null where the layer has no row.
ordered_json rowOf(const ordered_json& rows, const char* node) {
  const auto found =
      std::ranges::find_if(rows, [&](const ordered_json& row) { return row["node"] == node; });
  return found == rows.end() ? ordered_json() : *found;
}

bool takesAlong(const ordered_json& row, const std::string& other) {
  if (!row.contains("also_in_group")) return false;
  const auto others = row["also_in_group"].get<std::vector<std::string>>();
  return std::ranges::find(others, other) != others.end();
}

constexpr const char* kJoin = R"("groups": {"join": [["A", "B"]]})";

}  // namespace

void JoinedLayersTest::weightsAloneShareNothing() {
  SensitivityRequest request;
  request.types = {QuantType::Int4};
  QVERIFY(takesAlong(rowOf(rowsOf(kJoin, request), "A"), "B"));
  request.part = PrecisionPart::Weights;
  const ordered_json apart = rowsOf("", request);
  QCOMPARE(apart.size(), std::size_t{2});
  QVERIFY(rowsOf(kJoin, request) == apart);
}

void JoinedLayersTest::floatSharesNothing() {
  SensitivityRequest request;
  request.types = {QuantType::Float32};
  request.around = SensitivityRequest::Around::Configuration;
  const ordered_json rows = rowsOf(kJoin, request);
  for (const std::string node : {"A", "B"}) {
    const ordered_json row = rowOf(rows, node.c_str());
    QVERIFY2(!row.is_null() && !row.contains("refused"), node.c_str());
    const std::string alone = R"("nodes": {")" + node + R"(": "fp32"}, )" + kJoin;
    const ordered_json baseline = resultOf(alone, request)["baseline"];
    QVERIFY2(row["output_sqnr_db"] == baseline["outputs"][0]["sqnr_db"], node.c_str());
  }
}

// "A" is in float: its row changes "B", which it is joined with then; "B" does not change it.
void JoinedLayersTest::whatStaysInFloatIsLeftOut() {
  SensitivityRequest request;
  request.types = {QuantType::Int4};
  request.around = SensitivityRequest::Around::Configuration;
  const std::string floats = R"("nodes": {"A": "fp32"})";
  const ordered_json rows = rowsOf(floats + ", " + kJoin, request);
  QVERIFY(takesAlong(rowOf(rows, "A"), "B"));
  QVERIFY(!rowOf(rows, "B").is_null());
  QVERIFY(rowOf(rows, "B") == rowOf(rowsOf(floats, request), "B"));
}

// Weights alone, until it is tried: then it meets "B" in the list.
void JoinedLayersTest::whatHasWeightsAloneJoinsWhileItIsTried() {
  SensitivityRequest request;
  request.types = {QuantType::Int4};
  request.around = SensitivityRequest::Around::Configuration;
  const ordered_json row =
      rowOf(rowsOf(std::string(R"("nodes": {"A": {"activation": {"type": "fp32"},
                                                  "output": {"type": "fp32"}}}, )") +
                       kJoin,
                   request),
            "A");
  QVERIFY2(!row.contains("refused"), row.dump().c_str());
  QVERIFY(takesAlong(row, "B"));
}

// "B" asks for another observer than a layer that comes out of float has.
void JoinedLayersTest::refusedRowsNameTheOthers() {
  SensitivityRequest request;
  request.types = {QuantType::Int4};
  request.around = SensitivityRequest::Around::Configuration;
  const ordered_json row =
      rowOf(rowsOf(std::string(R"("default": {"activation": {"observer": "mse"},
                                        "output": {"observer": "mse"}},
                            "nodes": {"A": "fp32"}, )") +
                       kJoin,
                   request),
            "A");
  QVERIFY(row.contains("refused"));
  QVERIFY(takesAlong(row, "B"));
}

QUANTSCOPE_TEST(JoinedLayersTest)
#include "test_joined_layers.moc"

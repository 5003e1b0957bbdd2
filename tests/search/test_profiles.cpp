#include <QtTest>
#include <cmath>

#include "base/error.h"
#include "jobs/sample_network.h"
#include "search/profiles/attention.h"
#include "search/profiles/optimize_by_profiles.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using test::errorText;

namespace {

const ChoiceReason& reasonOf(const OptimizedConfig& optimized, const std::string& node) {
  return *std::ranges::find(optimized.why, node, &ChoiceReason::node);
}

}  // namespace

class ProfilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void choices_data();
  void choices();
  void strategyCounts();
  void everyOperatorHasAReason();
  void attentionIsFound();
  void mistakesAreNamed_data();
  void mistakesAreNamed();
  void criteriaThatAreNone_data();
  void criteriaThatAreNone();
};

// Scores worked by hand: (accuracy, performance and bonus) times the scheme's priority.
void ProfilesTest::choices_data() {
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<bool>("attention");
  QTest::addColumn<QByteArray>("criteria");
  QTest::addColumn<QByteArray>("scheme");
  QTest::addColumn<double>("score");  // of int8, of int16 and of dynamic; −∞ as −1
  QTest::addColumn<double>("int16");
  QTest::addColumn<double>("dynamic");
  QTest::addColumn<double>("confidence");
  QTest::addColumn<QByteArray>("text");
  const auto row = [](const char* op, bool attention, const char* criteria, const char* scheme,
                      double int8, double int16, double dynamic, double confidence,
                      const char* text) {
    QTest::addRow("%s%s %s", op, attention ? " of attention" : "", criteria)
        << QByteArray(op) << attention << QByteArray(criteria) << QByteArray(scheme) << int8
        << int16 << dynamic << confidence << QByteArray(text);
  };
  row("MatMul", false, "balanced", "int8", 0.994, 0.6585, 0.4184, 0.891,
      "Operation 'MatMul' is quantization-friendly. INT8 offers optimal performance with minimal "
      "accuracy loss.");
  row("Gemm", false, "accuracy", "int8", 1.388, 0.957, 0.6168, 0.891,
      "Operation 'Gemm' is quantization-friendly. INT8 offers optimal performance with minimal "
      "accuracy loss.");
  row("Conv", false, "balanced", "int8", 1.188, 0.5976, 0.297, 0.891,
      "Operation 'Conv' is quantization-friendly. INT8 offers optimal performance with minimal "
      "accuracy loss.");
  row("Conv", false, "performance", "int8", 1.988, 0.8976, 0.397, 0.891,
      "Operation 'Conv' is quantization-friendly. INT8 offers optimal performance with minimal "
      "accuracy loss.");
  row("MatMul", true, "balanced", "int16", 0.368, 1.074, 0.252, 0.70125,
      "Operation 'MatMul' is quantization-sensitive. INT16 provides good balance of performance "
      "and accuracy.");
  row("MatMul", true, "accuracy", "int16", 0.504, 2.172, 0.606, 0.70125,
      "Operation 'MatMul' is quantization-sensitive. INT16 provides good balance of performance "
      "and accuracy.");
  row("MatMul", true, "performance", "int8", 1.168, 0.654, 0.312, 0.675,
      "Operation 'MatMul' is quantization-sensitive. INT8 provides good balance of performance "
      "and accuracy.");
  row("Relu", false, "balanced", "int8", 0.7196, 0.41985, 0.23984, 0.891,
      "Operation 'Relu' is quantization-friendly. INT8 offers optimal performance with minimal "
      "accuracy loss.");
  row("Sigmoid", false, "balanced", "int16", 0.394, 1.0485, 0.258, 0.70125,
      "Operation 'Sigmoid' is quantization-sensitive. INT16 provides good balance of performance "
      "and accuracy.");
  row("MatMul", false, "custom:0.01:2.0", "int16", -1, 0.6585, 0.4184, 0.765,
      "Operation 'MatMul' is quantization-friendly. INT16 offers optimal performance with minimal "
      "accuracy loss.");
  row("Sigmoid", false, "custom:0.015:2", "int8", 0.794, -1, -1, 0.675,
      "Operation 'Sigmoid' is quantization-sensitive. INT8 provides good balance of performance "
      "and accuracy.");
  row("MatMul", false, "custom:0.001:1", "int16", -1, -1, -1, 0.765,
      "Fallback selection for 'MatMul' due to constraint violations");
  row("Conv", false, "custom:0.01:5", "int16", -1, -1, -1, 0.765,
      "Fallback selection for 'Conv' due to constraint violations");
  row("Relu", false, "custom:0.00009:9", "int16", -1, -1, -1, 0.765,
      "Fallback selection for 'Relu' due to constraint violations");
}

void ProfilesTest::choices() {
  QFETCH(const QByteArray, op);
  QFETCH(const bool, attention);
  QFETCH(const double, confidence);
  QFETCH(const QByteArray, criteria);
  const Criteria wanted = parseCriteria(criteria.toStdString());
  const PrecisionProfile& profile = shippedProfiles()->of(op.toStdString(), attention);
  const Strategy strategy;
  const auto isScore = [&](Scheme scheme, double expected) {
    const float score = profileScore(profile, scheme, wanted, strategy);
    if (expected < 0) return std::isinf(score) && score < 0;
    return std::abs(score - expected) < 1e-6;
  };
  QFETCH(const double, score);
  QFETCH(const double, int16);
  QFETCH(const double, dynamic);
  QVERIFY(isScore(Scheme::Int8, score));
  QVERIFY(isScore(Scheme::Int16, int16));
  QVERIFY(isScore(Scheme::Dynamic, dynamic));
  const ProfileChoice choice = chooseByProfile(profile, op.toStdString(), wanted, strategy);
  QFETCH(const QByteArray, scheme);
  QCOMPARE(QByteArray::fromStdString(std::string(name(choice.scheme))), scheme);
  QVERIFY(std::abs(choice.confidence - confidence) < 1e-6);
  QFETCH(const QByteArray, text);
  QCOMPARE(QByteArray::fromStdString(choice.text), text);
}

void ProfilesTest::strategyCounts() {
  const Strategy strategy = parseStrategy(R"({"dynamic_priority": 3, "int8_priority": 0})", "s");
  const PrecisionProfile& profile = shippedProfiles()->of("MatMul", false);
  const ProfileChoice choice =
      chooseByProfile(profile, "MatMul", parseCriteria("balanced"), strategy);
  QVERIFY(choice.scheme == Scheme::Dynamic);
  QVERIFY(std::abs(choice.accuracyLoss - 0.008) < 1e-6);
  QVERIFY(std::abs(choice.speedup - 2.1) < 1e-6);
  QVERIFY(std::abs(choice.confidence - 0.63) < 1e-6);
}

void ProfilesTest::everyOperatorHasAReason() {
  const test::SampleNetwork network("digits_mobilenet");
  const OptimizedConfig optimized = optimizeByProfiles(*network.model.engine, *shippedProfiles(),
                                                       parseCriteria("balanced"), Strategy());
  QCOMPARE(optimized.why.size(), network.model.graph->nodes().size());
  QCOMPARE(optimized.config.precision->backend, std::string("generic"));
  for (const auto& [node, precision] : optimized.config.precision->nodes) {
    const std::string& scheme = reasonOf(optimized, node).scheme;
    const QuantType type = precision.activation.type;
    QCOMPARE(scheme == "int16", type == QuantType::UInt16);
    QCOMPARE(scheme == "int8", type == QuantType::UInt8);
  }
  // What is fused goes with the node that leads, unless its own scheme differs.
  QVERIFY(!optimized.config.precision->nodes.empty());
}

void ProfilesTest::attentionIsFound() {
  const test::SampleNetwork network("digits_transformer");
  const std::vector<bool> attention = findAttention(*network.model.graph);
  std::size_t softmax = 0;
  std::size_t products = 0;
  for (std::size_t i = 0; i < attention.size(); ++i) {
    if (!attention[i]) continue;
    softmax += network.model.graph->nodes()[i].op == "Softmax" ? 1 : 0;
    products += network.model.graph->nodes()[i].op == "MatMul" ? 1 : 0;
  }
  QVERIFY(softmax > 0);
  QCOMPARE(products, 2 * softmax);
  const test::SampleNetwork other("digits_mobilenet");
  QVERIFY(std::ranges::none_of(findAttention(*other.model.graph), std::identity()));
}

void ProfilesTest::mistakesAreNamed_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* what, const QByteArray& profiles, const char* expected) {
    QTest::newRow(what) << "{\"quantscope_profiles\": 1, \"profiles\": {" + profiles + "}}"
                        << QByteArray(expected);
  };
  const QByteArray rest =
      R"("recommended": "int8", "sensitive": false, "accuracy_loss": {}, "speedup": {}})";
  row("no generic one", R"("x": {"operators": ["A"], )" + rest, "generic");
  row("twice",
      R"("generic": {"operators": ["A"], )" + rest + R"(, "x": {"operators": ["A"], )" + rest,
      "'profiles.x.operators' has A, which another profile has");
  row("twice in one", R"("generic": {"operators": ["A", "A"], )" + rest,
      "'profiles.generic.operators' has A twice");
  row("scheme",
      R"("generic": {"recommended": "int7", "sensitive": true, "accuracy_loss": {}, "speedup": {}})",
      "'profiles.generic.recommended' is the unknown scheme 'int7'");
  row("share",
      R"("generic": {"recommended": "int8", "sensitive": true, "accuracy_loss": {"int8": 1.5}, "speedup": {}})",
      "'profiles.generic.accuracy_loss.int8' is not a share");
  row("speed",
      R"("generic": {"recommended": "int8", "sensitive": true, "accuracy_loss": {}, "speedup": {"int8": 0}})",
      "'profiles.generic.speedup.int8' is not a multiple of a speed");
  row("key", R"("generic": {"colour": 1, )" + rest, "colour");
}

void ProfilesTest::mistakesAreNamed() {
  QFETCH(const QByteArray, json);
  QFETCH(const QByteArray, expected);
  const std::string why = errorText([&] { parseProfiles(json.toStdString(), "p.json"); });
  QVERIFY2(QByteArray::fromStdString(why).contains(expected), why.c_str());
  QVERIFY2(QByteArray::fromStdString(why).contains("p.json"), why.c_str());
}

void ProfilesTest::criteriaThatAreNone_data() {
  QTest::addColumn<QByteArray>("text");
  for (const char* text : {"", "fast", "custom", "custom:", "custom:1", "custom:1:", "custom::2",
                           "custom:x:2", "custom:-1:2", "custom:0.1:2:3", "custom:nan:1"}) {
    QTest::newRow(*text == 0 ? "nothing" : text) << QByteArray(text);
  }
}

void ProfilesTest::criteriaThatAreNone() {
  QFETCH(const QByteArray, text);
  const std::string why = errorText([&] { parseCriteria(text.toStdString()); });
  QVERIFY2(QByteArray::fromStdString(why).contains("are no criteria"), why.c_str());
}

QUANTSCOPE_TEST(ProfilesTest)
#include "test_profiles.moc"

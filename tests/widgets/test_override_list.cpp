#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/configuration/overrides_model.h"
#include "widgets/precision/type_segment.h"
#include "widgets/words/gain_words.h"

using namespace quantscope;

class OverrideListTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rows();
  void equalizedLayers();
  void gains();
  void gainWordsSayWhatIsKnown();
};

namespace {

PrecisionConfig someOverrides() {
  PrecisionConfig config;
  NodePrecision float32 = defaultPrecision();
  float32.float32 = true;
  NodePrecision perTensor = defaultPrecision();
  perTensor.weight.granularity = Granularity{};
  config.opTypes.emplace_back("Conv", perTensor);
  config.patterns.push_back({NamePattern(".*fc"), float32});
  config.nodes.emplace_back("/a/b", float32);
  return config;
}

QStringList textOf(const OverridesModel& model) {
  QStringList lines;
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < OverridesModel::kRemove; ++column) {
      cells << model.index(row, column).data(Qt::DisplayRole).toString();
    }
    lines << cells.join(QStringLiteral(" | "));
  }
  return lines;
}

}  // namespace

void OverrideListTest::rows() {
  OverridesModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  const PrecisionConfig config = someOverrides();
  model.setConfig(config);
  QCOMPARE(textOf(model),
           (QStringList{"every Conv | weights int8 per-channel → int8 per-tensor | …",
                        "names like .*fc | FP32 | …", "/a/b | FP32 | …"}));
  QVERIFY(model.target(0).kind == PrecisionTarget::Kind::OpType);
  QVERIFY(model.target(2) == (PrecisionTarget{PrecisionTarget::Kind::Nodes, {"/a/b"}}));
  QVERIFY(model.removal(0).apply(config).precision->opTypes.empty());
  QVERIFY(model.removal(1).apply(config).precision->patterns.empty());
  QVERIFY(model.removal(2).apply(config).precision->nodes.empty());
  QCOMPARE(model.removal(2).sentence, std::string("reset /a/b"));
}

void OverrideListTest::equalizedLayers() {
  Configuration config;
  config.precision.edit([](PrecisionConfig& precision) { precision = someOverrides(); });
  config.repairs.edit([](Repairs& repairs) { repairs.equalize = {{"/c", {1, 2}}}; });
  OverridesModel model;
  model.setConfig(*config.precision, {}, *config.repairs);
  QCOMPARE(textOf(model).back(), QStringLiteral("/c | equalized | …"));
  QVERIFY(model.target(3) == (PrecisionTarget{PrecisionTarget::Kind::Nodes, {"/c"}}));
  QVERIFY(model.removal(3).apply(config).repairs->equalize.empty());
}

void OverrideListTest::gains() {
  OverridesModel model;
  model.setConfig(someOverrides());
  model.setLosses({ConfigGain{2.5, 100, true}, std::nullopt, ConfigGain{-30.94, -400, false}});
  QCOMPARE(model.index(0, OverridesModel::kGain).data(Qt::DisplayRole).toString(),
           QStringLiteral("−2.5 dB"));
  QCOMPARE(model.index(1, OverridesModel::kGain).data(Qt::DisplayRole).toString(),
           QStringLiteral("…"));
  QCOMPARE(model.index(2, OverridesModel::kGain).data(Qt::DisplayRole).toString(),
           QStringLiteral("≈ +30.9 dB"));
}

void OverrideListTest::gainWordsSayWhatIsKnown() {
  QCOMPARE(gainWords({std::nullopt, 0, true}), QString());
  QCOMPARE(gainWords({0.01, 0, true}), QStringLiteral("±0 dB"));
  QCOMPARE(gainWords({12.34, 0, true}), QStringLiteral("+12.3 dB"));
  QCOMPARE(bytesWords({0, 0, true}), QStringLiteral("±0 B"));
  QVERIFY(bytesWords({0, -400, true}).startsWith(QStringLiteral("−400")));
  QVERIFY(gainSentence({1, 0, false}).startsWith(QStringLiteral("Estimated, not measured yet")));
}

QUANTSCOPE_TEST(OverrideListTest)
#include "test_override_list.moc"

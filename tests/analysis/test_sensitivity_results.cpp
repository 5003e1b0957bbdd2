#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_sensitivity.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using nlohmann::ordered_json;
using test::errorText;

/// What the result of a sensitivity analysis says of the settings, and what is left of one that is
/// cancelled.
class SensitivityResultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyAPartIsTold_data();
  void onlyAPartIsTold();
  void nothingIsPromisedBeforeTheFirstRow();
  void cancelledWideningKeepsTheRows();
};

namespace {

constexpr const char* kTwoLayers = R"(
  input x:float[1,6]
  a:float[6,5]
  b:float[5,4]
  h = MatMul(x, a) @one
  y = MatMul(h, b) @two
  output y
)";

/// A job that is cancelled at a stage whose name begins so; none for "".
class Cancelling {
 public:
  Cancelling(test::TextNetwork& network, const std::string& stage)
      : m_network(network), m_job(network.workers, [this, stage](const Progress& progress) {
          const bool begins = m_stages.empty() || m_stages.back() != progress.stage;
          if (begins) m_stages.push_back(progress.stage);
          if (!stage.empty() && progress.stage.starts_with(stage)) m_job.requestCancel();
        }) {}

  std::string run(const SensitivityJob& what) {
    AnalysisMemory memory(test::kBudget);
    return runSensitivity(m_network.model, {}, *m_network.data, *m_network.data, {}, what, memory,
                          m_job);
  }
  bool began(const std::string& stage) const {
    return std::ranges::any_of(m_stages,
                               [&](const std::string& each) { return each.starts_with(stage); });
  }

 private:
  test::TextNetwork& m_network;
  std::vector<std::string> m_stages;
  JobContext m_job;
};

SensitivityJob int8Job() {
  SensitivityJob what;
  what.request.types = {QuantType::Int8};
  return what;
}

}  // namespace

void SensitivityResultsTest::onlyAPartIsTold_data() {
  QTest::addColumn<int>("part");
  QTest::addColumn<QByteArray>("only");
  QTest::newRow("both") << static_cast<int>(PrecisionPart::Both) << QByteArray("null");
  QTest::newRow("weights") << static_cast<int>(PrecisionPart::Weights) << QByteArray("\"weights\"");
  QTest::newRow("activations") << static_cast<int>(PrecisionPart::Activations)
                               << QByteArray("\"activations\"");
}

void SensitivityResultsTest::onlyAPartIsTold() {
  QFETCH(const int, part);
  QFETCH(const QByteArray, only);
  test::TextNetwork network(kTwoLayers, 4);
  SensitivityJob what = int8Job();
  what.request.part = static_cast<PrecisionPart>(part);
  const std::string text = Cancelling(network, {}).run(what);
  ordered_json result = ordered_json::parse(text);
  QCOMPARE(QByteArray::fromStdString(result.value("only", ordered_json()).dump()), only);
  const QTemporaryDir folder;
  what.resume = test::writeFile(folder, "rows", text);
  QVERIFY(Cancelling(network, {}).run(what) == text);
  result["only"] = "biases";
  test::writeFile(folder, "rows", result.dump());
  const std::string error = errorText([&] { Cancelling(network, {}).run(what); });
  QVERIFY2(test::contains(error, "'only' is neither weights nor activations"), error.c_str());
}

// A first ranking on few samples gives no rows.
void SensitivityResultsTest::nothingIsPromisedBeforeTheFirstRow() {
  test::TextNetwork network(kTwoLayers, 4);
  SensitivityJob what = int8Job();
  int promises = 0;
  what.keepsFinished = [&] { ++promises; };
  for (const char* stage : {"First ranking", "Layers 1 "}) {
    Cancelling cancelling(network, stage);
    QVERIFY_THROWS_EXCEPTION(Cancelled, cancelling.run(what));
    QVERIFY(cancelling.began(stage));
    QCOMPARE(promises, 0);
  }
  Cancelling(network, {}).run(what);
  QCOMPARE(promises, 1);
}

void SensitivityResultsTest::cancelledWideningKeepsTheRows() {
  test::TextNetwork network(kTwoLayers, 4);
  SensitivityJob what = int8Job();
  what.widening = WideningJob{QuantType::Float32, {}};
  const std::string expected = Cancelling(network, {}).run(what);
  QVERIFY(ordered_json::parse(expected).contains("widening"));
  const char* const stage = "1 layers wider";
  QVERIFY_THROWS_EXCEPTION(Cancelled, Cancelling(network, stage).run(what));
  int promises = 0;
  what.keepsFinished = [&] { ++promises; };
  std::string noticed;
  what.notice = [&](const std::string& sentence) { noticed = sentence; };
  const std::string text = Cancelling(network, stage).run(what);
  QCOMPARE(promises, 1);
  QCOMPARE(noticed,
           std::string("the result is incomplete: all rows are measured, wider layers are not; "
                       "name its file with --resume to go on"));
  const ordered_json result = ordered_json::parse(text);
  QCOMPARE(result["nodes"].size(), result["rows"].get<std::size_t>());
  QVERIFY(result["complete"] == false && !result.contains("widening"));
  const QTemporaryDir folder;
  what.resume = test::writeFile(folder, "rows", text);
  QVERIFY(Cancelling(network, {}).run(what) == expected);
}

QUANTSCOPE_TEST(SensitivityResultsTest)
#include "test_sensitivity_results.moc"

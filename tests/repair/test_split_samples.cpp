#include <QtTest>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "export/json/repair_json.h"
#include "repair/repair_case.h"
#include "repair/split_samples.h"
#include "support/batch_source.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Turns pairs of numbers by 0.7 and by 1.3.
constexpr const char* kTurning = R"(
  input h:float[1,4]
  w:float[4,4]{0.76484, 0.64422, 0, 0, -0.64422, 0.76484, 0, 0, 0, 0, 0.2675, 0.96356, 0, 0, -0.96356, 0.2675}
  y = MatMul(h, w) @turn
  output y
)";

// Each is what the network makes of the one before.
std::vector<Tensor> turned(std::size_t frames) {
  std::vector<Tensor> states;
  for (std::size_t i = 0; i < frames; ++i) {
    const auto angle = static_cast<float>(i);
    states.push_back(
        Tensor::of<float>(Shape{1, 4}, {std::cos(0.7F * angle), std::sin(0.7F * angle),
                                        2 * std::cos(1.3F * angle), 2 * std::sin(1.3F * angle)}));
  }
  return states;
}

std::vector<std::size_t> firstSamples(SampleSet& samples) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < samples.feedCount(); ++i) {
    numbers.push_back(samples.read(i).firstSample);
  }
  return numbers;
}

constexpr const char* kBatched = R"(
  input x:float[8,3,4,4]
  w:float[4,3,3,3]
  y = Conv(x, w) @conv
  output y
)";

/// A network that takes batches of eight.
struct Batched {
  explicit Batched(std::size_t samples)
      : network(kBatched, kFourBitsPerTensor, 2),
        data(std::make_unique<BatchSource>(network.state.engine->graph().inputs()[0],
                                           Shape{8, 3, 4, 4}, samples)) {}

  RepairResult repair(SampleSet& calibration) {
    RepairRequest request;
    request.steps = {*findRepairStep("bias-correction")};
    return repairModel(network.state, data, calibration, network.settings, {}, request,
                       network.memory, network.job);
  }

  RepairCase network;
  SampleSet data;
};

}  // namespace

/// Which samples steps are fitted to, and which judge them.
class SplitSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void batchesCountBySamples_data();
  void batchesCountBySamples();
  void calibrationDataOfItsOwn();
  void oneHeldOutSampleIsRefused();
  void independentSamplesAreSplitOneByOne();
  void framesAreHeldOutInOnePiece_data();
  void framesAreHeldOutInOnePiece();
};

void SplitSamplesTest::batchesCountBySamples_data() {
  QTest::addColumn<std::size_t>("samples");
  QTest::addColumn<std::size_t>("fit");
  QTest::addColumn<std::size_t>("heldOut");
  QTest::addColumn<std::size_t>("folds");
  QTest::addColumn<std::string>("refusal");
  const auto row = [](const char* what, std::array<std::size_t, 4> counts, const char* refusal) {
    QTest::newRow(what) << counts[0] << counts[1] << counts[2] << counts[3] << std::string(refusal);
  };
  row("six feeds", {48, 40, 8, 1}, "");
  row("two feeds", {16, 8, 8, 1}, "");
  row("a second one with padding", {12, 12, 12, 2}, "");
  row("a third one of one sample", {17, 9, 8, 1}, "");
  row("one feed", {8, 0, 8, 1}, "one run of the model takes all 8, so that none can be held out");
  row("too few", {6, 0, 6, 1}, "there are 6 in all: give at least 8");
}

void SplitSamplesTest::batchesCountBySamples() {
  QFETCH(const std::size_t, samples);
  QFETCH(const std::size_t, fit);
  QFETCH(const std::size_t, heldOut);
  QFETCH(const std::size_t, folds);
  QFETCH(const std::string, refusal);
  Batched batched(samples);
  const RepairResult result = batched.repair(batched.data);
  QCOMPARE(result.fitSamples, fit);
  QCOMPARE(result.heldOutSamples, heldOut);
  QCOMPARE(result.folds, folds);
  const std::string& reason = result.steps[0].reason;
  QCOMPARE(contains(reason, "insufficient data"), !refusal.empty());
  QVERIFY2(contains(reason, refusal.c_str()), reason.c_str());
}

void SplitSamplesTest::calibrationDataOfItsOwn() {
  Batched batched(16);
  SampleSet few(std::make_unique<BatchSource>(batched.network.state.engine->graph().inputs()[0],
                                              Shape{8, 3, 4, 4}, 3));
  const RepairResult result = batched.repair(few);
  QCOMPARE(result.heldOutSamples, std::size_t{16});
  const std::string& reason = result.steps[0].reason;
  QVERIFY2(contains(reason, "4 samples to fit to, but the calibration data has 3"), reason.c_str());
  QVERIFY(!contains(repairText(result), "ranges are observed on all samples"));
}

void SplitSamplesTest::oneHeldOutSampleIsRefused() {
  Batched batched(1);
  SampleSet many(std::make_unique<BatchSource>(batched.network.state.engine->graph().inputs()[0],
                                               Shape{8, 3, 4, 4}, 16));
  for (SampleSet* calibration : {&many, &batched.data}) {
    const std::string error = errorText([&] { batched.repair(*calibration); });
    QVERIFY2(contains(error, "1 held-out sample proves nothing"), error.c_str());
    QVERIFY2(contains(error, "give at least 2"), error.c_str());
  }
}

void SplitSamplesTest::independentSamplesAreSplitOneByOne() {
  RepairCase network(kTurning, kFourBitsPerTensor, 34);
  SplitSamples split(*network.state.engine, *network.data, *network.data, network.memory,
                     network.job);
  QCOMPARE(firstSamples(split.fold(0).heldOut),
           (std::vector<std::size_t>{3, 7, 11, 15, 19, 23, 27, 31}));
  QVERIFY(split.recordings().empty());
}

void SplitSamplesTest::framesAreHeldOutInOnePiece_data() {
  QTest::addColumn<std::size_t>("frames");
  QTest::addColumn<std::size_t>("first");
  QTest::addColumn<std::string>("words");
  QTest::newRow("many") << std::size_t{40} << std::size_t{30}
                        << std::string("one recording: its last quarter is held out");
  QTest::newRow("few") << std::size_t{20} << std::size_t{10}
                       << std::string("one recording: its last half is held out");
  QTest::newRow("in turns") << std::size_t{12} << std::size_t{6}
                            << std::string("its last half and the rest are held out in turns");
}

void SplitSamplesTest::framesAreHeldOutInOnePiece() {
  QFETCH(const std::size_t, frames);
  QFETCH(const std::size_t, first);
  QFETCH(const std::string, words);
  RepairCase network(kTurning, kFourBitsPerTensor, turned(frames));
  SplitSamples split(*network.state.engine, *network.data, *network.data, network.memory,
                     network.job);
  std::vector<std::size_t> expected;
  for (std::size_t i = first; i < frames; ++i) expected.push_back(i);
  QCOMPARE(firstSamples(split.fold(0).heldOut), expected);
  RepairRequest request;
  request.steps = {*findRepairStep("round")};
  const RepairResult result = network.repair(request);
  QVERIFY2(contains(repairText(result), words.c_str()), repairText(result).c_str());
  QVERIFY(contains(repairJson(result).dump(), words.c_str()));
}

QUANTSCOPE_TEST(SplitSamplesTest)
#include "test_split_samples.moc"

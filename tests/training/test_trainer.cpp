#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "jobs/repair/run_training.h"
#include "jobs/sample_network.h"
#include "onnx/writing/write_model.h"
#include "repair/repair_case.h"
#include "repair/scales/fold_normalizations.h"
#include "support/error_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"
#include "training/checkpoint.h"
#include "training/training_case.h"

using namespace quantscope;
using test::errorText;
using test::RepairCase;
using test::SampleNetwork;
using test::shortSettings;
using Case = test::TrainingCase;

namespace {

bool sameOverlays(const Overlay& a, const Overlay& b) {
  return std::ranges::equal(a.constants, b.constants,
                            [](const ChangedConstant& x, const ChangedConstant& y) {
                              return x.node == y.node && x.input == y.input &&
                                     identical(x.tensor, y.tensor);
                            }) &&
         std::ranges::equal(a.grids, b.grids,
                            [](const FixedGrid& x, const FixedGrid& y) {
                              return x.node == y.node && x.params == y.params;
                            }) &&
         std::ranges::equal(a.points, b.points, [](const FixedPoint& x, const FixedPoint& y) {
           return x.point == y.point && x.params == y.params;
         });
}

std::string bytesOf(const RepairResult& result) {
  return modelBytes({result.state.engine->graph(), {}}) + toJson(result.state.config);
}

/// Where nothing can be written.
class FullStore : public CheckpointStore {
 public:
  std::optional<std::string> read() const override { return std::nullopt; }
  void write(const std::string& /*bytes*/) override {
    throw Error(ErrorCode::Io, "the disk is full", {}, "free some space");
  }
  double pace() const override { return 0; }
  std::string name() const override { return "nowhere"; }
};

}  // namespace

/// Training as a whole: what it gains, when it ends, and what it leaves alone.
class TrainerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comesCloser_data();
  void comesCloser();
  void stopsEarly();
  void divergenceKeepsTheBest();
  void sameForAnyThreads();
  void stopsWhenAsked();
  void timeIsUp();
  void resumesToTheSameBits_data();
  void resumesToTheSameBits();
  void stoppedItGoesOnAnotherTime();
  void withoutCheckpointsItGoesOn();
  void checkpointsOfOthersAreRefused();
  void whatIsKnownIsNotTrainedAgain();
  void harmIsRolledBack();
  void worksInTheRecipe();
  void labelsCount();
  void badInput();
  void operatorsWithoutGradients();
  void noNumbers();
};

void TrainerTest::comesCloser_data() {
  QTest::addColumn<int>("form");
  QTest::addColumn<bool>("stochastic");
  QTest::newRow("log") << int(ScaleForm::Log) << false;
  QTest::newRow("lsq") << int(ScaleForm::Lsq) << false;
  QTest::newRow("tqt") << int(ScaleForm::Tqt) << false;
  QTest::newRow("stochastic") << int(ScaleForm::Log) << true;
}

void TrainerTest::comesCloser() {
  QFETCH(int, form);
  QFETCH(bool, stochastic);
  Case with;
  TrainingSettings settings = shortSettings();
  settings.scales = static_cast<ScaleForm>(form);
  settings.stochastic = stochastic;
  settings.temperature = 0.5F;
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.report.bestLoss < outcome.report.startLoss);
  QCOMPARE(outcome.report.blocks, std::size_t{2});
  QVERIFY(outcome.report.trainSamples > 3 * outcome.report.heldBackSamples);
  const auto reference = with.network.outputs(with.state, false);
  const double before = test::sqnrOf(reference, with.network.outputs(with.state, true));
  const double after = test::sqnrOf(reference, with.network.outputs(with.trained(outcome), true));
  // From powers of two it starts lower.
  if (settings.scales == ScaleForm::Tqt) {
    for (const FixedGrid& each : outcome.overlay.grids) {
      for (const Grid& grid : each.params.grids) {
        QVERIFY(std::exp2(std::round(std::log2(grid.scale))) == grid.scale);
      }
    }
    return;
  }
  QVERIFY2(after > before + 0.5, qPrintable(QString("%1 → %2").arg(before).arg(after)));
}

// Without a rate that moves anything no evaluation is better than the first one.
void TrainerTest::stopsEarly() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.steps = 400;
  settings.blockShare = 0;
  settings.rates = {1e-9, 1e-9, 1e-9, 1e-9, 1e-9};
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.report.end == TrainingEnd::EarlyStop);
  QVERIFY(outcome.report.steps < 400);
}

void TrainerTest::divergenceKeepsTheBest() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.steps = 400;
  settings.blockShare = 0;
  settings.networkShare = 1;
  settings.rates = {300, 0.01, 0.01, 0.01, 300};
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.report.end == TrainingEnd::Diverged);
  QCOMPARE(outcome.report.notes.size(), std::size_t{1});
  QVERIFY2(test::contains(outcome.report.notes[0], "diverged at step"),
           outcome.report.notes[0].c_str());
  QVERIFY(outcome.report.bestLoss <= outcome.report.startLoss);
}

void TrainerTest::sameForAnyThreads() {
  TrainingSettings settings = shortSettings();
  settings.stochastic = true;
  settings.steps = 20;
  const TrainingOutcome one = Case(24, 1).train(settings);
  const TrainingOutcome eight = Case(24, 8).train(settings);
  QVERIFY(!one.overlay.empty());
  QVERIFY(sameOverlays(one.overlay, eight.overlay));
  QVERIFY(one.report.curve.back().heldBack == eight.report.curve.back().heldBack);
}

void TrainerTest::stopsWhenAsked() {
  Case with;
  TrainingSettings settings = shortSettings();
  std::size_t asked = 0;
  settings.stop = [&] { return ++asked > 40; };
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.report.end == TrainingEnd::Stopped);
  QCOMPARE(outcome.report.steps, std::size_t{40});
  QVERIFY(!outcome.overlay.empty());
}

void TrainerTest::timeIsUp() {
  Case with;
  TrainingSettings settings = shortSettings();
  settings.seconds = 1e-6;
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(outcome.report.end == TrainingEnd::OutOfTime);
  QVERIFY(outcome.overlay.empty());
}

void TrainerTest::resumesToTheSameBits_data() {
  QTest::addColumn<int>("steps");
  // In the first block, between the blocks, in the network, and behind its last step.
  for (const int steps : {1, 12, 20, 30, 31, 40, 45, 1000}) {
    QTest::addRow("after %d steps", steps) << steps;
  }
}

// Cancelled, a training leaves a checkpoint; another one goes on from it.
void TrainerTest::resumesToTheSameBits() {
  QFETCH(int, steps);
  QTemporaryDir folder;
  Case with;
  TrainingSettings settings = shortSettings();
  settings.stochastic = true;
  const TrainingOutcome whole = with.train(settings);
  QVERIFY(whole.report.steps > 46);
  settings.checkpoint = std::make_shared<CheckpointFile>((folder.path() + "/c.ckpt").toStdString());
  JobContext first(with.network.workers);
  std::size_t asked = 0;
  settings.stop = [&] {
    if (++asked > static_cast<std::size_t>(steps)) first.requestCancel();
    return false;
  };
  bool cancelled = false;
  try {
    train(with.state, with.layers, *with.network.data, {}, settings, first);
  } catch (const Cancelled&) {
    cancelled = true;
  }
  QCOMPARE(cancelled, steps < 1000);
  settings.stop = {};
  const TrainingOutcome resumed = with.train(settings);
  QVERIFY(resumed.report.resumed);
  QVERIFY(sameOverlays(whole.overlay, resumed.overlay));
  QCOMPARE(resumed.report.steps, whole.report.steps);
  QCOMPARE(resumed.report.curve.size(), whole.report.curve.size());
  QVERIFY(resumed.report.bestLoss == whole.report.bestLoss);
}

// With the best state so far, and from where it was at that time.
void TrainerTest::stoppedItGoesOnAnotherTime() {
  QTemporaryDir folder;
  Case with;
  TrainingSettings settings = shortSettings();
  const TrainingOutcome whole = with.train(settings);
  settings.checkpoint = std::make_shared<CheckpointFile>((folder.path() + "/c.ckpt").toStdString());
  std::size_t asked = 0;
  settings.stop = [&] { return ++asked > 20; };
  const TrainingOutcome stopped = with.train(settings);
  QVERIFY(stopped.report.end == TrainingEnd::Stopped);
  QCOMPARE(stopped.report.steps, std::size_t{20});
  settings.stop = {};
  const TrainingOutcome resumed = with.train(settings);
  QVERIFY(resumed.report.resumed);
  QVERIFY(sameOverlays(whole.overlay, resumed.overlay));
  QCOMPARE(resumed.report.steps, whole.report.steps);
}

// A disk that is full costs the checkpoints, not the training.
void TrainerTest::withoutCheckpointsItGoesOn() {
  Case with;
  TrainingSettings settings = shortSettings();
  const TrainingOutcome whole = with.train(settings);
  settings.checkpoint = std::make_shared<FullStore>();
  const TrainingOutcome outcome = with.train(settings);
  QVERIFY(sameOverlays(whole.overlay, outcome.overlay));
  QCOMPARE(outcome.report.notes.size(), whole.report.notes.size() + 1);
  const std::string note = outcome.report.notes.front();
  QVERIFY2(test::contains(note, "a checkpoint could not be written: the disk is full"),
           note.c_str());
  JobContext cancelled(with.network.workers);
  settings.stop = [&] {
    cancelled.requestCancel();
    return false;
  };
  QVERIFY_THROWS_EXCEPTION(
      Cancelled, train(with.state, with.layers, *with.network.data, {}, settings, cancelled));
}

void TrainerTest::checkpointsOfOthersAreRefused() {
  QTemporaryDir folder;
  Case with;
  TrainingSettings settings = shortSettings();
  settings.steps = 4;
  settings.checkpoint = std::make_shared<CheckpointFile>((folder.path() + "/c.ckpt").toStdString());
  with.train(settings);
  settings.seed = 1;
  const std::string other = errorText([&] { with.train(settings); });
  QVERIFY2(test::contains(other, "is of another training"), other.c_str());
  QFile file(folder.path() + "/c.ckpt");
  QVERIFY(file.open(QIODevice::ReadWrite));
  const QByteArray whole = file.readAll();
  // A checkpoint that was cut, or that is something else, is no crash.
  for (const qsizetype length : {qsizetype{0}, qsizetype{1}, whole.size() / 2, whole.size() - 1}) {
    QVERIFY(file.resize(0) && file.seek(0) && file.write(whole.first(length)) == length);
    file.flush();
    const std::string damaged = errorText([&] { with.train(settings); });
    QVERIFY2(test::contains(damaged, "is no checkpoint of a training, or is damaged"),
             damaged.c_str());
  }
}

// The same bits, from bytes that were kept; what is of another training is not taken.
void TrainerTest::whatIsKnownIsNotTrainedAgain() {
  Case with;
  TrainingSettings settings = shortSettings();
  const TrainingOutcome trained = with.train(settings);
  const std::string bytes = toBytes(*trained.state);
  TrainedState stopped = *trained.state;
  stopped.steps = 1;
  settings.known = {std::make_shared<const TrainedState>(stopped),  // the newest counts
                    std::make_shared<const TrainedState>(trainedStateFrom(bytes, "kept"))};
  settings.onlyKnown = true;
  const TrainingOutcome again = with.train(settings);
  QVERIFY(sameOverlays(again.overlay, trained.overlay));
  QVERIFY(again.report.curve.empty());
  QCOMPARE(again.report.steps, trained.report.steps);
  QCOMPARE(again.report.bestLoss, trained.report.bestLoss);
  QVERIFY(toBytes(*again.state) == bytes);
  const auto isUnknown = [&](const TrainingSettings& changed) {
    const TrainingOutcome other = with.train(changed);
    return other.state == nullptr && other.overlay.empty();
  };
  TrainingSettings unobserved = settings;
  unobserved.unobserved = {"conv2"};
  QVERIFY(isUnknown(unobserved));
  settings.steps = *settings.steps + 1;
  QVERIFY(isUnknown(settings));
  settings.onlyKnown = false;
  QVERIFY(with.train(settings).report.curve.size() > 1);
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, bytes.size() / 2}) {
    VERIFY_ERROR(trainedStateFrom(bytes.substr(0, length), "kept"),
                 "what was trained is damaged (kept)");
  }
}

// Rates that spoil everything: a state that is kept by mistake is not kept by the held-out test.
void TrainerTest::harmIsRolledBack() {
  RepairCase network(test::kTrainedNetwork, test::kThreeBitWeights, 24);
  const auto run = std::make_shared<TrainingRun>();
  run->settings = shortSettings();
  RepairStep step = trainingStep(run);
  const auto propose = step.propose;
  step.propose = [&](const RepairState& state, const LinearLayers& layers, RepairTools& tools,
                     std::size_t way) {
    RepairProposal proposal = propose(state, layers, tools, way);
    for (ChangedConstant& each : proposal.overlay.constants) {
      Tensor spoilt(ElementType::Float32, each.tensor.shape());
      for (std::size_t i = 0; i < spoilt.elementCount(); ++i) {
        spoilt.mutableValues<float>()[i] = -2 * each.tensor.values<float>()[i];
      }
      each.tensor = spoilt;
    }
    return proposal;
  };
  RepairRequest request;
  request.steps = {step};
  const RepairResult result = network.repair(request);
  QVERIFY(!result.steps.at(0).kept);
  QVERIFY(result.steps.at(0).gainHeldOutDb.value() < -1);
  QVERIFY(result.state.engine == network.state.engine);
  QVERIFY(std::ranges::equal(network.outputs(network.state, true),
                             network.outputs(result.state, true), identical));
}

void TrainerTest::worksInTheRecipe() {
  std::string bytes[2];
  for (int i = 0; i < 2; ++i) {
    RepairCase network(test::kTrainedNetwork, test::kThreeBitWeights, 32, i == 0 ? 1 : 4);
    const auto run = std::make_shared<TrainingRun>();
    run->settings = shortSettings();
    run->settings.steps = 200;
    RepairRequest request;
    request.steps = recipeSteps();
    request.steps.push_back(trainingStep(run));
    const RepairResult result = network.repair(request);
    QCOMPARE(result.steps.size(), repairSteps().size() + 2);
    QCOMPARE(result.steps.back().step, std::string("train"));
    QVERIFY2(result.steps.back().gainHeldOutDb.has_value(), result.steps.back().reason.c_str());
    QVERIFY(worstDecibels(result.end.heldOut) > worstDecibels(result.start.heldOut));
    QVERIFY(run->report && !run->report->curve.empty());
    bytes[i] = bytesOf(result);
  }
  QVERIFY(bytes[0] == bytes[1]);
}

void TrainerTest::labelsCount() {
  SampleNetwork network("digits_mobilenet", 2, 40);
  AnalysisMemory memory(std::size_t{128} << 20);
  TrainingSettings settings = shortSettings();
  settings.steps = 6;
  PrecisionConfig types;
  types.defaults.weight.type = QuantType::Int4;
  Labels labels;
  labels.classes.assign(40, 3);
  const auto run = [&](const Labels& with) {
    return runTraining(network.model, {types}, *network.data, *network.data, with, settings, 1,
                       memory, network.job)
        .training;
  };
  const TrainingReport without = run({});
  const TrainingReport mixed = run(labels);
  QVERIFY(mixed.startLoss > without.startLoss + 0.01);
}

void TrainerTest::badInput() {
  Case few(7);
  QVERIFY2(test::contains(errorText([&] { few.train({}); }),
                          "insufficient data: training needs 8 samples"),
           errorText([&] { few.train({}); }).c_str());
  Case with;
  TrainingSettings settings;
  settings.frozen = {"conv7"};
  QVERIFY(test::contains(errorText([&] { with.train(settings); }),
                         "'conv7', which is to be frozen, is no layer"));
  settings.frozen = {"conv1", "conv2", "conv3", "conv4"};
  QVERIFY2(test::contains(errorText([&] { with.train(settings); }), "nothing is left to train"),
           errorText([&] { with.train(settings); }).c_str());
  constexpr const char* kCodes = R"(
    input x:float[1,3,4,4]
    c:int8[2,3,1,1]{1, 2, 3, -4, 5, 6}
    s:float[]{0.25}
    w = DequantizeLinear(c, s)
    y = Conv(x, w) @conv
    output y
  )";
  RepairCase codes(kCodes, R"({"quantscope": 1})");
  RepairRequest request;
  request.steps = {trainingStep(std::make_shared<TrainingRun>())};
  QVERIFY(test::contains(errorText([&] { codes.repair(request); }),
                         "stored as codes, which are frozen"));
}

void TrainerTest::operatorsWithoutGradients() {
  constexpr const char* kRounded = R"(
    input x:float[1,3,6,6]
    w:float[6,3,3,3]
    a = Conv(x, w) pads=[1,1,1,1] @conv
    c:bool[]{1}
    y = If(c) then={
      t = Relu(a)
      output t
    } else={
      u = Neg(a)
      output u
    } @gate
    output y
  )";
  Case with(16, 2, kRounded, R"({"quantscope": 1})");
  const std::string error = errorText([&] { with.train(shortSettings()); });
  QVERIFY2(test::contains(error, "gradient not available: If 'gate'"), error.c_str());
}

// A loss that is no number from the start is refused; one that becomes none is a divergence.
void TrainerTest::noNumbers() {
  constexpr const char* kLogarithm = R"(
    input x:float[1,3,6,6]
    w:float[6,3,3,3]
    a = Conv(x, w) pads=[1,1,1,1] @conv
    b = Log(a) @log
    output b
  )";
  Case with(16, 2, kLogarithm, R"({"quantscope": 1})");
  const std::string error = errorText([&] { with.train(shortSettings()); });
  QVERIFY2(test::contains(error, "no number before anything is trained"), error.c_str());
}

QUANTSCOPE_TEST(TrainerTest)
#include "test_trainer.moc"

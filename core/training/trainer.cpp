#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "base/counter_random.h"
#include "base/error.h"
#include "base/seconds_since.h"
#include "training/block_inputs.h"
#include "training/checkpoint.h"
#include "training/epoch_order.h"
#include "training/loss_curve.h"
#include "training/network_blocks.h"
#include "training/rate_share.h"
#include "training/training_losses.h"
#include "training/training_request.h"
#include "training/training_samples.h"

namespace quantscope {
namespace {

// Evaluations of a phase, and how many of them may pass without a better one.
constexpr std::size_t kEvaluations = 40;
constexpr std::size_t kPatience = 16;
// A loss beyond so many times the phase's first one will not come back.
constexpr double kDiverged = 20;
// Repairs before a training were fitted to the samples that are held back, too, so that any state
// after them seems worse: one of up to so many times the first loss is left to the recipe's test.
constexpr double kWorse = 2;
// The same for a state that blocks have come to: its first loss is a single figure.
constexpr double kLuck = 1.2;
// Decay per step of the moving average of the states.
constexpr double kAveraging = 0.98;

using Samples = std::vector<SampleMaker>;

/// A whole network or one of its blocks, while it is trained.
struct Phase {
  std::string name;
  std::size_t index = 0;
  std::size_t steps = 0;
  const TrainingNetwork* network = nullptr;
  Samples train;
  Samples heldBack;
};

class Trainer {
 public:
  Trainer(const RepairState& state, const LinearLayers& layers, SampleSet& samples,
          const Labels& labels, const TrainingSettings& settings, JobContext& job)
      : m_state(state),
        m_layers(layers),
        m_settings(settings),
        m_steps(trainingSteps(settings, *state.observations)),
        m_job(job),
        m_begin(std::chrono::steady_clock::now()),
        m_parameters(trainable(state, layers, settings), layers, learnedSettings(settings)),
        m_blocks(findBlocks(*state.engine, *state.model, layers)),
        m_losses(*state.engine, m_blocks),
        m_samples(state, samples, labels, m_losses.values(), job),
        m_trainFeeds(m_samples.feeds(false)),
        m_targets(m_losses.values().size()) {
    std::iota(m_targets.begin(), m_targets.end(), std::size_t{0});
  }

  TrainingOutcome run() {
    m_options.unquantized = m_settings.unquantized;
    m_options.stochastic = m_settings.stochastic;
    m_options.temperature = m_settings.temperature;
    m_options.batch = m_samples.batch();
    makeNetwork();
    m_at.training = trainingId(m_state, m_layers, m_samples, m_settings, m_steps);
    if (const TrainedState* known = findKnown()) return takeOver(*known);
    if (m_settings.onlyKnown) return {};
    resume();
    if (trainsBlocks(m_settings, m_blocks.size())) trainBlocks();
    if (goesOn()) trainNetwork();
    return finish();
  }

 private:
  void makeNetwork() {
    m_network = std::make_unique<TrainingNetwork>(m_state, m_layers, nullptr, m_options,
                                                  m_losses.networkTerms(m_samples, m_settings),
                                                  m_parameters, m_job.workers());
    if (!m_parameters.anyFree()) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "nothing is left to train: every layer is frozen, or has no static integer grid",
                  {}, "freeze fewer layers, or quantize some statically");
    }
    if (!m_network->trains()) {
      const std::string& known = m_network->whyNot();
      const std::string why =
          known.empty() ? "no output of real numbers depends on one by a gradient other than 0"
                        : known;
      throw Error(ErrorCode::UnsupportedOperation, "no layer can be trained: " + why, {},
                  "use `repair`, whose other steps need no gradients");
    }
    if (!m_network->whyNot().empty()) {
      m_at.notes.push_back("some layers are not trained: " + m_network->whyNot());
    }
    m_heldBack = samplesOf(m_samples.feeds(true));
    if (m_settings.varied == 0) return;
    for (SampleMaker& each : m_samples.heldBackVariations(CounterRandom(m_settings.seed).with(0))) {
      m_heldBack.push_back(std::move(each));
    }
  }

  // From the network's inputs to all targets.
  Samples samplesOf(const std::vector<std::size_t>& feeds) const {
    Samples samples;
    for (const std::size_t feed : feeds) {
      samples.emplace_back([this, feed] { return m_samples.sample(feed, m_targets); });
    }
    return samples;
  }

  const TrainedState* findKnown() const {
    // The newest: others may have been stopped earlier.
    const auto newestFirst = std::views::reverse(m_settings.known);
    const auto found = std::ranges::find_if(newestFirst, [&](const auto& known) {
      return known->training == m_at.training && m_parameters.fits(known->values);
    });
    return found == newestFirst.end() ? nullptr : found->get();
  }

  TrainingOutcome takeOver(const TrainedState& known) {
    m_parameters.setValues(known.values);
    m_at.totalSteps = known.steps;
    m_at.startLoss = known.startLoss;
    m_at.end = known.end;
    return finish();
  }

  void resume() {
    const auto known = m_settings.checkpoint == nullptr
                           ? std::nullopt
                           : readCheckpoint(*m_settings.checkpoint, m_at.training);
    if (known) {
      takeOver(*known);
      return;
    }
    m_at.startLoss = m_network->loss(m_heldBack, m_job);
    m_at.best = m_parameters.values();
    if (!std::isfinite(m_at.startLoss)) {
      throw Error(ErrorCode::InvalidData,
                  "the loss of the quantized network is no number before anything is trained", {},
                  "look at its layers with `analyze`");
    }
  }

  void takeOver(const TrainingCheckpoint& known) {
    const LearnedParameters& now = m_parameters;
    if (!now.fits(known.values) || !now.fits(known.best) || !now.fits(known.average) ||
        !now.fitMoments(known.first) || !now.fitMoments(known.second)) {
      throw Error(ErrorCode::InvalidData,
                  "'" + m_settings.checkpoint->name() + "' is damaged: it has other arrays", {},
                  "remove it to start anew");
    }
    m_at = known;
    m_resumed = true;
    m_before = known.seconds;
    m_parameters.setValues(known.values);
    std::vector<LearnedArray>& arrays = m_parameters.arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      arrays[i].first = known.first.at(i);
      arrays[i].second = known.second.at(i);
    }
  }

  bool goesOn() const {
    return m_at.end == TrainingEnd::Done || m_at.end == TrainingEnd::EarlyStop;
  }

  std::unique_ptr<TrainingNetwork> blockNetwork(const NetworkBlock& block) const {
    std::vector<LossTerms> terms;
    for (const std::size_t i : m_losses.indicesOf(block.outputs))
      terms.push_back(m_losses.squaresOf(i, 1, m_samples));
    return std::make_unique<TrainingNetwork>(m_state, m_layers, &block, m_options, std::move(terms),
                                             m_parameters, m_job.workers());
  }

  void trainBlocks() {
    {
      std::vector<std::unique_ptr<TrainingNetwork>> networks;
      for (const NetworkBlock& block : m_blocks) networks.push_back(blockNetwork(block));
      // A block that moved what others read would change what those were trained with.
      m_parameters.hold(sharedGroups(networks));
    }
    BlockInputs inputs(m_blocks, m_samples);
    for (std::size_t i = 0; i < m_blocks.size() && goesOn() && m_at.phase < m_blocks.size(); ++i) {
      const NetworkBlock& block = m_blocks[i];
      auto network = blockNetwork(block);
      const std::vector<std::size_t> targets = m_losses.indicesOf(block.outputs);
      if (i >= m_at.phase && network->trains()) {
        runPhase({"block " + std::to_string(i + 1) + " of " + std::to_string(m_blocks.size()), i,
                  blockSteps(m_settings, m_steps), network.get(), inputs.part(false, targets),
                  inputs.part(true, targets)});
      }
      if (i + 1 < m_blocks.size()) inputs.pass(std::move(network), m_job);
    }
    m_parameters.hold({});
    if (goesOn()) m_at.phase = std::max(m_at.phase, m_blocks.size());
  }

  void trainNetwork() {
    if (!m_at.begun && m_blocks.size() > 1 && m_settings.trainsWeights) {
      // Blocks come close each by itself; together they may have gone the wrong way.
      if (!(m_network->loss(m_heldBack, m_job) <= m_at.startLoss)) {
        m_parameters.setValues(m_parameters.start());
        note("training block by block made the network worse, so it starts from where it was");
      }
    }
    runPhase({"network", m_blocks.size(), m_steps, m_network.get(), samplesOf(m_trainFeeds),
              m_heldBack});
  }

  void note(std::string text) {
    if (std::ranges::find(m_at.notes, text) == m_at.notes.end()) {
      m_at.notes.push_back(std::move(text));
    }
  }

  // Runs from the checkpoint to the phase's end; ends with the best state.
  void runPhase(const Phase& phase) {
    if (!m_at.begun) beginPhase(phase);
    const std::size_t interval = std::max<std::size_t>(1, phase.steps / kEvaluations);
    m_job.beginStage("Training " + phase.name, phase.steps);
    while (m_at.step < phase.steps && goesOnHere() && !isStopped()) {
      const BatchGradients batch = gradientsOrSave(phase);
      if (!std::isfinite(batch.loss) || batch.loss > kDiverged * usualLoss()) {
        diverge(phase);
        break;
      }
      const std::string place = m_parameters.whatHasNoNumber(batch.gradients);
      if (!place.empty()) {
        diverge(phase, "met a gradient that is no number, of " + place + ",");
        break;
      }
      const bool ofNetwork = phase.network == m_network.get();
      const bool movesScales = !ofNetwork || !m_settings.freezeObserversAfter ||
                               m_at.step < *m_settings.freezeObserversAfter;
      m_parameters.step(
          batch.gradients, m_at.step + 1,
          rateShare(m_at.step, phase.steps) * (ofNetwork ? m_settings.networkShare : 1),
          movesScales);
      follow();
      m_at.lossSum += batch.loss;
      ++m_at.lossCount;
      ++m_at.step;
      ++m_at.totalSteps;
      if (m_at.step % interval == 0 || m_at.step == phase.steps) evaluate(phase);
      if (!goesOn()) break;
      if (m_at.sinceBest >= kPatience) {
        m_at.end = TrainingEnd::EarlyStop;
        break;
      }
      m_job.advance(m_at.step);
      saveNowAndThen();
    }
    m_parameters.setValues(m_at.best);
    if (!goesOn()) return;
    const bool isLast = phase.network == m_network.get();
    if (isLast) {
      m_at.step = phase.steps;
    } else {
      m_at.phase = phase.index + 1;
      m_at.step = 0;
      m_at.begun = false;
    }
    save();
  }

  // A phase that was stopped early is not gone on with after resuming.
  bool goesOnHere() const { return m_at.end == TrainingEnd::Done; }

  // The loss of a good network, which may grow by much: a thousandth of the signal's power.
  static double batchFloor() { return 1e-3; }

  // What batches are compared with: variations of samples may be much harder than those that are
  // held back, so that the first batch is compared with nothing.
  double usualLoss() const {
    if (m_at.lossCount == 0) return std::numeric_limits<double>::infinity();
    const double ofBatches = m_at.lossSum / static_cast<double>(m_at.lossCount);
    return std::max({m_at.firstLoss, m_at.startLoss, ofBatches}) + batchFloor();
  }

  void beginPhase(const Phase& phase) {
    m_at.phase = phase.index;
    m_at.step = m_at.sinceBest = 0;
    m_at.end = TrainingEnd::Done;
    m_at.lossSum = 0;
    m_at.lossCount = 0;
    m_parameters.restartMoments();
    m_at.best = m_at.average = m_parameters.values();
    m_at.firstLoss = m_at.bestLoss = phase.network->loss(phase.heldBack, m_job);
    if (phase.network == m_network.get()) {
      m_at.bestLoss *= m_parameters.values() == m_parameters.start() ? kWorse : kLuck;
    }
    m_at.begun = true;
    addPoint({phase.name, 0, 0, m_at.firstLoss});
  }

  void addPoint(TrainingPoint point) {
    m_at.curve.push_back(std::move(point));
    if (m_settings.onPoint) m_settings.onPoint(m_at.curve.back());
  }

  // A step that was begun is taken again after resuming.
  BatchGradients gradientsOrSave(const Phase& phase) {
    try {
      return gradientsOf(phase);
    } catch (const Cancelled&) {
      save();
      throw;
    }
  }

  BatchGradients gradientsOf(const Phase& phase) {
    const std::size_t count = std::min(m_settings.batch, phase.train.size());
    const CounterRandom random =
        CounterRandom(m_settings.seed).with(phase.index + 1).with(m_at.step);
    const auto variations =
        phase.network == m_network.get()
            ? static_cast<std::size_t>(std::lround(m_settings.varied * static_cast<double>(count)))
            : 0;
    Samples batch;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = m_order.at(phase.index, phase.train.size(), m_at.step * count + i);
      batch.push_back(i < variations ? variationOf(place, random.with(i)) : phase.train[place]);
    }
    if (!m_settings.stochastic) return phase.network->backward(batch, nullptr, m_job);
    const StepNoise noise{random.key(), m_settings.temperature};
    return phase.network->backward(batch, &noise, m_job);
  }

  // Of one of the feeds to train on, mixed with another; as it is where it cannot be varied.
  SampleMaker variationOf(std::size_t place, const CounterRandom& random) const {
    const std::size_t feed = m_trainFeeds[place];
    const std::size_t other = m_trainFeeds[random.bits(2) % m_trainFeeds.size()];
    return [this, feed, other, random] {
      std::optional<TrainingSample> varied = m_samples.varied(feed, other, random);
      return varied ? *std::move(varied) : m_samples.sample(feed, m_targets);
    };
  }

  // A mean of the last states, which goes up and down less than they do (Polyak and Juditsky).
  void follow() {
    const auto count = static_cast<double>(m_at.step);
    const auto kept = static_cast<float>(std::min(kAveraging, (1 + count) / (10 + count)));
    const std::vector<LearnedArray>& arrays = m_parameters.arrays();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!arrays[i].steps()) continue;
      for (std::size_t j = 0; j < arrays[i].values.size(); ++j) {
        float& mean = m_at.average[i][j];
        mean += (1 - kept) * (arrays[i].values[j] - mean);
      }
    }
  }

  void evaluate(const Phase& phase) {
    const LearnedParameters::Values now = m_parameters.values();
    m_parameters.setValues(m_at.average);
    const double loss = phase.network->loss(phase.heldBack, m_job);
    m_parameters.setValues(now);
    addPoint({phase.name, m_at.step, m_at.lossSum / static_cast<double>(m_at.lossCount), loss});
    m_at.lossSum = 0;
    m_at.lossCount = 0;
    if (!std::isfinite(loss) || loss > kDiverged * (m_at.firstLoss + batchFloor())) {
      return diverge(phase);
    }
    ++m_at.sinceBest;
    const double smoothed = smoothedLoss(m_at.curve, phase.name);
    if (!(smoothed < m_at.bestLoss)) return;
    m_at.sinceBest = 0;
    m_at.bestLoss = smoothed;
    m_at.best = m_at.average;
  }

  void diverge(const Phase& phase, const std::string& what = "diverged") {
    m_at.end = TrainingEnd::Diverged;
    note("training " + phase.name + " " + what + " at step " + std::to_string(m_at.step) +
         "; the best state before that is kept");
  }

  bool isStopped() {
    if (m_job.cancelled()) {
      save();
      m_job.throwIfCancelled();
    }
    const bool isOver = m_settings.seconds && secondsSince(m_begin) >= *m_settings.seconds;
    if (!isOver && !(m_settings.stop && m_settings.stop())) return false;
    save();  // another time it goes on from here
    m_at.end = isOver ? TrainingEnd::OutOfTime : TrainingEnd::Stopped;
    return true;
  }

  double seconds() const { return m_before + secondsSince(m_begin); }

  void saveNowAndThen() {
    const CheckpointStore* store = m_settings.checkpoint.get();
    if (store != nullptr && secondsSince(m_saved) >= store->pace()) save();
  }

  void save() {
    if (m_settings.checkpoint == nullptr) return;
    m_at.values = m_parameters.values();
    m_at.first.clear();
    m_at.second.clear();
    for (const LearnedArray& array : m_parameters.arrays()) {
      m_at.first.push_back(array.first);
      m_at.second.push_back(array.second);
    }
    m_at.seconds = seconds();
    try {
      writeCheckpoint(m_at, *m_settings.checkpoint);
    } catch (const Error& error) {
      // What was learned is worth more than the way back to it.
      note("a checkpoint could not be written: " + error.statement());
    }
    m_saved = std::chrono::steady_clock::now();
  }

  TrainingOutcome finish() {
    TrainingOutcome outcome;
    double best = m_network->loss(m_heldBack, m_job);
    if (!(best <= kWorse * m_at.startLoss + batchFloor())) {
      // Training has ended among the blocks, which come close to theirs each by itself.
      note("what was reached is much worse than the start, which is kept");
      m_parameters.setValues(m_parameters.start());
      best = m_at.startLoss;
    }
    outcome.overlay = m_parameters.overlay();
    outcome.state = std::make_shared<const TrainedState>(TrainedState{
        m_at.training, m_parameters.values(), m_at.totalSteps, m_at.startLoss, m_at.end});
    std::set<NodeId> changed;
    for (const ChangedConstant& each : outcome.overlay.constants) changed.insert(each.node);
    outcome.layers = changed.size();
    TrainingReport& report = outcome.report;
    report.curve = m_at.curve;
    report.trainSamples = m_samples.samplesOf(false);
    report.heldBackSamples = m_samples.samplesOf(true);
    report.blocks = m_blocks.size();
    report.steps = m_at.totalSteps;
    report.plannedSteps = plannedSteps(m_settings, m_steps, m_blocks.size());
    report.startLoss = m_at.startLoss;
    report.bestLoss = best;
    report.end = m_at.end;
    report.resumed = m_resumed;
    report.seconds = seconds();
    report.notes = m_at.notes;
    return outcome;
  }

  const RepairState& m_state;
  const LinearLayers& m_layers;
  const TrainingSettings& m_settings;
  std::size_t m_steps;  // of the whole network
  JobContext& m_job;
  std::chrono::steady_clock::time_point m_begin;
  std::chrono::steady_clock::time_point m_saved = std::chrono::steady_clock::now();
  LearnedParameters m_parameters;
  std::vector<NetworkBlock> m_blocks;
  TrainingLosses m_losses;
  TrainingSamples m_samples;
  std::vector<std::size_t> m_trainFeeds;  // by place in the samples to train on
  std::vector<std::size_t> m_targets;     // all of them
  TrainingGraphOptions m_options;
  std::unique_ptr<TrainingNetwork> m_network;
  Samples m_heldBack;  // of the network, with variations
  TrainingCheckpoint m_at;
  bool m_resumed = false;
  double m_before = 0;
  EpochOrder m_order{m_settings.seed};
};

}  // namespace

TrainingOutcome train(const RepairState& state, const LinearLayers& layers, SampleSet& samples,
                      const Labels& labels, const TrainingSettings& settings, JobContext& job) {
  return Trainer(state, layers, samples, labels, settings, job).run();
}

}  // namespace quantscope

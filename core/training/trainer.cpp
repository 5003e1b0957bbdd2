#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "analysis/class_scores.h"
#include "analysis/twin_setup.h"
#include "base/counter_random.h"
#include "base/error.h"
#include "base/seconds_since.h"
#include "training/checkpoint.h"
#include "training/network_blocks.h"
#include "training/training_samples.h"

namespace quantscope {
namespace {

// Evaluations of a phase, and how many of them may pass without a better one.
constexpr std::size_t kEvaluations = 40;
constexpr std::size_t kPatience = 16;
// A loss beyond so many times the phase's first one will not come back.
constexpr double kDiverged = 20;
// Share of a phase's steps.
constexpr double kWarmUp = 0.1;
// Seconds between two checkpoints.
constexpr double kCheckpointEvery = 1;

using Samples = std::vector<const TrainingSample*>;

/// A whole network or one of its blocks, while it is trained.
struct Phase {
  std::string name;
  std::size_t index = 0;
  std::size_t steps = 0;
  const TrainingNetwork* network = nullptr;
  Samples train;
  Samples heldBack;
};

void require(const Graph& graph, const QuantizedModel& model, const std::set<std::string>& names,
             const char* what) {
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(model.layers, [&](const LayerQuantization& layer) {
      return graph[layer.layer.lead()].name == name;
    });
    if (known) continue;
    throw Error(ErrorCode::InvalidParameters,
                "'" + name + "', " + what + ", is no layer of the model", {},
                "use the name of a layer that `inspect` lists");
  }
}

LearnedParameters::Settings learnedSettings(const TrainingSettings& settings) {
  LearnedParameters::Settings learned{settings.scales, settings.rates, settings.frozen,
                                      settings.unquantized};
  if (settings.trainsWeights) return learned;
  learned.rates.weight = learned.rates.weightScale = learned.rates.bias = 0;
  return learned;
}

ContentId trainingId(const RepairState& state, const TrainingSamples& samples,
                     const TrainingSettings& settings) {
  ContentHasher hasher;
  hasher.add("training").add(state.engine->content()).add(state.twin->content());
  hasher.add(state.config.id()).add(samples.content());
  for (const std::size_t number :
       {settings.steps, settings.batch, static_cast<std::size_t>(settings.scales),
        static_cast<std::size_t>(settings.trainsWeights),
        static_cast<std::size_t>(settings.stochastic),
        settings.freezeObserversAfter.value_or(settings.steps)}) {
    hasher.add(std::uint64_t{number});
  }
  hasher.add(settings.seed);
  const LearningRates& rates = settings.rates;
  for (const double number :
       {settings.blockShare, settings.networkShare, rates.weight, rates.weightScale,
        rates.activationScale, rates.zeroPoint, rates.bias, double{settings.temperature},
        settings.scoreTemperature, settings.outputWeight, settings.blockWeight,
        settings.labelWeight, settings.varied}) {
    hasher.add(std::as_bytes(std::span(&number, 1)));
  }
  for (const auto* names : {&settings.frozen, &settings.unquantized}) {
    hasher.add(std::uint64_t{names->size()});
    for (const std::string& name : *names) hasher.add(name);
  }
  return hasher.id();
}

class Trainer {
 public:
  Trainer(const RepairState& state, const LinearLayers& layers, SampleSet& samples,
          const Labels& labels, const TrainingSettings& settings, JobContext& job)
      : m_state(state),
        m_layers(layers),
        m_settings(settings),
        m_job(job),
        m_begin(std::chrono::steady_clock::now()),
        m_parameters(checked(state, layers, settings), layers, learnedSettings(settings)),
        m_blocks(findBlocks(*state.engine, *state.model, layers)),
        m_values(lossValues()),
        m_samples(state, samples, labels, m_values, job) {}

  TrainingOutcome run() {
    m_options.unquantized = m_settings.unquantized;
    m_options.stochastic = m_settings.stochastic;
    m_options.temperature = m_settings.temperature;
    m_options.batch = m_samples.batch();
    makeNetwork();
    resume();
    const bool blockwise = m_settings.trainsWeights && m_blocks.size() > 1;
    if (blockwise && m_settings.blockShare > 0) trainBlocks();
    if (goesOn()) trainNetwork();
    return finish();
  }

 private:
  static const RepairState& checked(const RepairState& state, const LinearLayers& layers,
                                    const TrainingSettings& settings) {
    require(state.engine->graph(), *state.model, settings.frozen, "which is to be frozen");
    require(state.engine->graph(), *state.model, settings.unquantized,
            "which is not to be fake-quantized");
    if (!layers.layers.empty() || !settings.trainsWeights) return state;
    if (layers.refused.empty()) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "no layer with weights is quantized, so there is nothing to train", {},
                  "give a configuration that quantizes some");
    }
    const RefusedLayer& first = layers.refused.front();
    throw Error(ErrorCode::UnsupportedOperation,
                "no layer can be trained; of '" + first.node + "' " + first.reason,
                {.file = {}, .node = first.node, .value = {}},
                "give the float32 model that it was made from");
  }

  // The network's outputs and the blocks', those that are floats that something computes.
  std::vector<ValueId> lossValues() const {
    const Graph& graph = m_state.engine->graph();
    std::vector<ValueId> values;
    const auto add = [&](ValueId value) {
      const std::optional<ElementType>& type = graph[value].type.element;
      const bool counts = m_state.engine->constant(value) == nullptr && (!type || isFloat(*type));
      if (counts && std::ranges::find(values, value) == values.end()) values.push_back(value);
    };
    for (const ValueId output : graph.outputs()) {
      add(output);
      add(scoresOf(output));
    }
    for (const NetworkBlock& block : m_blocks) std::ranges::for_each(block.outputs, add);
    return values;
  }

  bool isOutput(ValueId value) const {
    const std::span<const ValueId> outputs = m_state.engine->graph().outputs();
    return std::ranges::find(outputs, value) != outputs.end();
  }

  bool isBlockEnd(ValueId value) const {
    return std::ranges::any_of(m_blocks, [&](const NetworkBlock& block) {
      return std::ranges::find(block.outputs, value) != block.outputs.end();
    });
  }

  LossTerms squaresOf(std::size_t value, double weight) const {
    LossTerms terms;
    terms.value = m_values[value];
    terms.squares = weight;
    terms.power = m_samples.power(value);
    return terms;
  }

  std::vector<LossTerms> networkTerms() const {
    std::vector<LossTerms> terms;
    const double eachBlock = m_settings.blockWeight / static_cast<double>(m_blocks.size());
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      terms.push_back(squaresOf(i, isOutput(m_values[i])     ? 1
                                   : isBlockEnd(m_values[i]) ? eachBlock
                                                             : 0));
    }
    const std::span<const ValueId> outputs = m_state.engine->graph().outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) addScores(outputs[i], i == 0, terms);
    return terms;
  }

  // Of probabilities the scores before them count: where those are rounded to 0 the divergence of
  // the probabilities has no slope that leads anywhere.
  ValueId scoresOf(ValueId output) const {
    const Graph& graph = m_state.engine->graph();
    return comesFromSoftmax(graph, output) ? graph[graph[output].producer].inputs[0] : output;
  }

  void addScores(ValueId output, bool isFirst, std::vector<LossTerms>& terms) const {
    const auto place = std::ranges::find(m_values, output);
    const auto scores = std::ranges::find(m_values, scoresOf(output));
    if (place == m_values.end() || scores == m_values.end()) return;
    const auto index = static_cast<std::size_t>(place - m_values.begin());
    if (!classCount(m_samples.target(0, index), m_samples.batch())) return;
    terms[index].squares = m_settings.outputWeight;
    LossTerms& term = terms[static_cast<std::size_t>(scores - m_values.begin())];
    term.divergence = 1;
    term.temperature = m_settings.scoreTemperature;
    if (m_samples.anyLabels() && isFirst) term.labels = m_settings.labelWeight;
  }

  void makeNetwork() {
    m_network = std::make_unique<TrainingNetwork>(m_state, m_layers, nullptr, m_options,
                                                  networkTerms(), m_parameters, m_job.workers());
    if (!m_parameters.anyFree()) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "nothing is left to train: every layer is frozen, or has no static integer grid",
                  {}, "freeze fewer layers, or quantize some statically");
    }
    if (!m_network->trains()) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "no layer can be trained: " + (m_network->whyNot().empty()
                                                     ? std::string("no output depends on one")
                                                     : m_network->whyNot()),
                  {}, "use `repair`, whose other steps need no gradients");
    }
    if (!m_network->whyNot().empty()) {
      m_at.notes.push_back("some layers are not trained: " + m_network->whyNot());
    }
    std::vector<std::size_t> all(m_values.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    m_networkSamples = m_samples.forNetwork(all);
  }

  void resume() {
    m_at.training = trainingId(m_state, m_samples, m_settings);
    const auto known = m_settings.checkpoint.empty()
                           ? std::nullopt
                           : readCheckpoint(m_settings.checkpoint, m_at.training);
    if (known) {
      takeOver(*known);
      return;
    }
    m_at.startLoss = m_network->loss(chosen(m_networkSamples, true), m_job);
    m_at.best = m_parameters.values();
    if (!std::isfinite(m_at.startLoss)) {
      throw Error(ErrorCode::InvalidData,
                  "the loss of the quantized network is no number before anything is trained", {},
                  "look at its layers with `analyze`");
    }
  }

  void takeOver(const TrainingCheckpoint& known) {
    const LearnedParameters::Values now = m_parameters.values();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (known.values.size() == now.size() && known.values[i].size() == now[i].size()) continue;
      throw Error(ErrorCode::InvalidData,
                  "'" + m_settings.checkpoint.string() + "' is damaged: it has other arrays", {},
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

  static Samples chosen(const std::vector<TrainingSample>& samples, bool heldBack) {
    Samples chosen;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (TrainingSamples::isHeldBack(i) == heldBack) chosen.push_back(&samples[i]);
    }
    return chosen;
  }

  bool goesOn() const {
    return m_at.end == TrainingEnd::Done || m_at.end == TrainingEnd::EarlyStop;
  }

  // Groups that several blocks read stay until the network is trained: a block that moved them
  // would change what others were trained with.
  std::set<std::size_t> sharedGroups(
      const std::vector<std::unique_ptr<TrainingNetwork>>& networks) const {
    std::map<std::size_t, std::size_t> uses;
    for (const auto& network : networks) {
      for (const TrainingGraph::Range& range : network->graph().ranges) ++uses[range.group];
    }
    std::set<std::size_t> shared;
    for (const auto& [group, count] : uses) {
      if (count > 1) shared.insert(group);
    }
    return shared;
  }

  std::vector<std::size_t> indicesOf(const std::vector<ValueId>& values) const {
    std::vector<std::size_t> indices;
    for (const ValueId value : values) {
      const auto found = std::ranges::find(m_values, value);
      if (found != m_values.end())
        indices.push_back(static_cast<std::size_t>(found - m_values.begin()));
    }
    return indices;
  }

  std::unique_ptr<TrainingNetwork> blockNetwork(const NetworkBlock& block) const {
    std::vector<LossTerms> terms;
    for (const std::size_t i : indicesOf(block.outputs)) terms.push_back(squaresOf(i, 1));
    return std::make_unique<TrainingNetwork>(m_state, m_layers, &block, m_options, std::move(terms),
                                             m_parameters, m_job.workers());
  }

  void trainBlocks() {
    {
      std::vector<std::unique_ptr<TrainingNetwork>> networks;
      for (const NetworkBlock& block : m_blocks) networks.push_back(blockNetwork(block));
      m_parameters.hold(sharedGroups(networks));
    }
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < m_blocks.size() && goesOn() && m_at.phase < m_blocks.size(); ++i) {
      const NetworkBlock& block = m_blocks[i];
      const auto network = blockNetwork(block);
      std::vector<TrainingSample> samples = m_samples.forNetwork(indicesOf(block.outputs));
      for (std::size_t s = 0; s < samples.size() && block.input.valid(); ++s) {
        samples[s].inputs = {{block.input, inputs[s]}};
      }
      if (i >= m_at.phase && network->trains()) {
        runPhase({"block " + std::to_string(i + 1) + " of " + std::to_string(m_blocks.size()), i,
                  static_cast<std::size_t>(static_cast<double>(m_settings.steps) *
                                           m_settings.blockShare),
                  network.get(), chosen(samples, false), chosen(samples, true)});
      }
      if (i + 1 == m_blocks.size()) break;
      Samples all;
      for (const TrainingSample& sample : samples) all.push_back(&sample);
      inputs = network->values(block.outputs.front(), all, m_job);
    }
    m_parameters.hold({});
    if (goesOn()) m_at.phase = std::max(m_at.phase, m_blocks.size());
  }

  void trainNetwork() {
    const Samples heldBack = chosen(m_networkSamples, true);
    if (!m_at.begun && m_blocks.size() > 1 && m_settings.trainsWeights) {
      // Blocks come close each by itself; together they may have gone the wrong way.
      if (!(m_network->loss(heldBack, m_job) <= m_at.startLoss)) {
        m_parameters.setValues(startValues());
        note("training block by block made the network worse, so it starts from where it was");
      }
    }
    runPhase({"network", m_blocks.size(), m_settings.steps, m_network.get(),
              chosen(m_networkSamples, false), heldBack});
  }

  LearnedParameters::Values startValues() const {
    return LearnedParameters(m_state, m_layers, learnedSettings(m_settings)).values();
  }

  void note(std::string text) {
    if (std::ranges::find(m_at.notes, text) == m_at.notes.end()) {
      m_at.notes.push_back(std::move(text));
    }
  }

  // From where the checkpoint stands to the phase's end, with the best state in the end.
  void runPhase(const Phase& phase) {
    if (!m_at.begun) beginPhase(phase);
    const std::size_t interval = std::max<std::size_t>(1, phase.steps / kEvaluations);
    m_job.beginStage("Training " + phase.name, phase.steps);
    while (m_at.step < phase.steps && goesOnHere() && !isStopped()) {
      const BatchGradients batch = gradientsOrSave(phase);
      if (!std::isfinite(batch.loss) || batch.loss > kDiverged * (m_at.firstLoss + batchFloor())) {
        diverge(phase);
        break;
      }
      const bool ofNetwork = phase.network == m_network.get();
      const bool movesScales = !ofNetwork || !m_settings.freezeObserversAfter ||
                               m_at.step < *m_settings.freezeObserversAfter;
      m_parameters.step(batch.gradients, m_at.step + 1,
                        shareAt(phase) * (ofNetwork ? m_settings.networkShare : 1), movesScales);
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

  // A warm-up, in which Adam learns how large gradients are (its first steps are as long for noise
  // as for what matters), then a cosine to 0.
  double shareAt(const Phase& phase) const {
    const double progress = static_cast<double>(m_at.step) / static_cast<double>(phase.steps);
    const double warm = std::min(1.0, (progress * static_cast<double>(phase.steps) + 1) /
                                          (kWarmUp * static_cast<double>(phase.steps) + 1));
    return warm * (1 + std::cos(std::numbers::pi * progress)) / 2;
  }

  // A phase that was stopped early is not gone on with after resuming.
  bool goesOnHere() const { return m_at.end == TrainingEnd::Done; }

  // Losses that are next to nothing may grow by much.
  static double batchFloor() { return 1e-6; }

  void beginPhase(const Phase& phase) {
    m_at.phase = phase.index;
    m_at.step = m_at.sinceBest = 0;
    m_at.end = TrainingEnd::Done;
    m_at.lossSum = 0;
    m_at.lossCount = 0;
    m_parameters.restartMoments();
    m_at.best = m_parameters.values();
    m_at.firstLoss = m_at.bestLoss = phase.network->loss(phase.heldBack, m_job);
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

  BatchGradients gradientsOf(const Phase& phase) const {
    const std::size_t count = std::min(m_settings.batch, phase.train.size());
    const CounterRandom random =
        CounterRandom(m_settings.seed).with(phase.index + 1).with(m_at.step);
    Samples batch;
    for (std::size_t i = 0; i < count; ++i) {
      batch.push_back(phase.train[place(phase, m_at.step * count + i)]);
    }
    std::vector<std::optional<TrainingSample>> varied(count);
    if (phase.network == m_network.get()) vary(batch, random, varied);
    if (!m_settings.stochastic) return phase.network->backward(batch, nullptr, m_job);
    const StepNoise noise{random.key(), m_settings.temperature};
    return phase.network->backward(batch, &noise, m_job);
  }

  // Replaces a share of the batch by variations.
  void vary(Samples& batch, const CounterRandom& random,
            std::vector<std::optional<TrainingSample>>& varied) const {
    const auto count = static_cast<std::size_t>(
        std::lround(m_settings.varied * static_cast<double>(batch.size())));
    const Samples all = chosen(m_networkSamples, false);
    m_job.workers().forEach(count, [&](std::size_t i) {
      const CounterRandom own = random.with(i);
      varied[i] =
          m_samples.varied(feedOf(batch[i]), feedOf(all[own.bits(2) % all.size()]), own, m_job);
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (varied[i]) batch[i] = &*varied[i];
    }
  }

  std::size_t feedOf(const TrainingSample* sample) const {
    return static_cast<std::size_t>(sample - m_networkSamples.data());
  }

  // The samples of an epoch come in an order of its own (Fisher and Yates).
  std::size_t place(const Phase& phase, std::size_t position) const {
    const std::size_t count = phase.train.size();
    const std::size_t epoch = position / count;
    const CounterRandom random = CounterRandom(m_settings.seed).with(phase.index).with(epoch);
    if (m_order.size() != count || m_orderKey != random.key()) {
      m_order.resize(count);
      std::iota(m_order.begin(), m_order.end(), std::size_t{0});
      for (std::size_t i = count; i-- > 1;)
        std::swap(m_order[i], m_order[random.bits(i) % (i + 1)]);
      m_orderKey = random.key();
    }
    return m_order[position % count];
  }

  void evaluate(const Phase& phase) {
    const double loss = phase.network->loss(phase.heldBack, m_job);
    addPoint({phase.name, m_at.step, m_at.lossSum / static_cast<double>(m_at.lossCount), loss});
    m_at.lossSum = 0;
    m_at.lossCount = 0;
    if (!std::isfinite(loss) || loss > kDiverged * (m_at.firstLoss + batchFloor())) {
      return diverge(phase);
    }
    ++m_at.sinceBest;
    if (!(loss < m_at.bestLoss)) return;
    m_at.sinceBest = 0;
    m_at.bestLoss = loss;
    m_at.best = m_parameters.values();
  }

  void diverge(const Phase& phase) {
    m_at.end = TrainingEnd::Diverged;
    note("training " + phase.name + " diverged at step " + std::to_string(m_at.step) +
         "; the best state before that is kept");
  }

  bool isStopped() {
    if (m_job.cancelled()) {
      save();
      m_job.throwIfCancelled();
    }
    if (m_settings.stop && m_settings.stop()) m_at.end = TrainingEnd::Stopped;
    if (m_settings.seconds && seconds() >= *m_settings.seconds) m_at.end = TrainingEnd::OutOfTime;
    return !goesOn();
  }

  double seconds() const { return m_before + secondsSince(m_begin); }

  void saveNowAndThen() {
    if (m_settings.checkpoint.empty() || secondsSince(m_saved) < kCheckpointEvery) return;
    save();
  }

  void save() {
    if (m_settings.checkpoint.empty()) return;
    m_at.values = m_parameters.values();
    m_at.first.clear();
    m_at.second.clear();
    for (const LearnedArray& array : m_parameters.arrays()) {
      m_at.first.push_back(array.first);
      m_at.second.push_back(array.second);
    }
    m_at.seconds = seconds();
    writeCheckpoint(m_at, m_settings.checkpoint);
    m_saved = std::chrono::steady_clock::now();
  }

  TrainingOutcome finish() {
    TrainingOutcome outcome;
    outcome.overlay = m_parameters.overlay();
    std::set<NodeId> changed;
    for (const ChangedConstant& each : outcome.overlay.constants) changed.insert(each.node);
    outcome.layers = changed.size();
    TrainingReport& report = outcome.report;
    report.curve = m_at.curve;
    report.trainSamples = m_samples.samplesOf(false);
    report.heldBackSamples = m_samples.samplesOf(true);
    report.blocks = m_blocks.size();
    report.steps = m_at.totalSteps;
    report.startLoss = m_at.startLoss;
    report.bestLoss = m_network->loss(chosen(m_networkSamples, true), m_job);
    report.end = m_at.end;
    report.resumed = m_resumed;
    report.seconds = seconds();
    report.notes = m_at.notes;
    return outcome;
  }

  const RepairState& m_state;
  const LinearLayers& m_layers;
  const TrainingSettings& m_settings;
  JobContext& m_job;
  std::chrono::steady_clock::time_point m_begin;
  std::chrono::steady_clock::time_point m_saved = std::chrono::steady_clock::now();
  LearnedParameters m_parameters;
  std::vector<NetworkBlock> m_blocks;
  std::vector<ValueId> m_values;  // that the losses look at
  TrainingSamples m_samples;
  TrainingGraphOptions m_options;
  std::unique_ptr<TrainingNetwork> m_network;
  std::vector<TrainingSample> m_networkSamples;
  TrainingCheckpoint m_at;
  bool m_resumed = false;
  double m_before = 0;
  mutable std::vector<std::size_t> m_order;
  mutable std::uint64_t m_orderKey = 0;
};

}  // namespace

std::string words(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::Done:
      return "done";
    case TrainingEnd::EarlyStop:
      return "stopped early";
    case TrainingEnd::OutOfTime:
      return "out of time";
    case TrainingEnd::Stopped:
      return "stopped";
    case TrainingEnd::Diverged:
      break;
  }
  return "diverged";
}

TrainingOutcome train(const RepairState& state, const LinearLayers& layers, SampleSet& samples,
                      const Labels& labels, const TrainingSettings& settings, JobContext& job) {
  return Trainer(state, layers, samples, labels, settings, job).run();
}

}  // namespace quantscope

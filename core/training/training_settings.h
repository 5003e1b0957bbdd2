#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "training/checkpoint_store.h"
#include "training/learned_parameters.h"

namespace quantscope {

/// The loss after some steps.
struct TrainingPoint {
  std::string phase;     ///< "block 2 of 5", "network"
  std::size_t step = 0;  ///< of the phase
  double loss = 0;      ///< mean of the steps since the point before; of the phase's first: none, 0
  double heldBack = 0;  ///< of the samples that stop the training early
};

struct TrainedState;

/// How a training is carried out.
struct TrainingSettings {
  std::optional<std::size_t> steps;  ///< of the whole network; without: see trainingSteps()
  double blockShare = 0.3;           ///< steps of each block before that, as a share of `steps`
  /// Rates of the whole network, as a share of the blocks'.
  double networkShare = 0.5;
  std::size_t batch = 32;  ///< samples of a step, at most
  std::uint64_t seed = 0;
  bool trainsWeights = true;  ///< else scales and zero points of activations alone
  ScaleForm scales = ScaleForm::Log;
  LearningRates rates;
  std::set<std::string> frozen;       ///< layers that stay, bit for bit
  std::set<std::string> unquantized;  ///< layers that are not fake-quantized while training
  std::set<std::string> unobserved;   ///< layers whose scales and zero points stay
  /// Scales and zero points stay from this step of the network on.
  std::optional<std::size_t> freezeObserversAfter;
  bool stochastic = false;  ///< rounds at random while training
  float temperature = 1;    ///< of that
  double varied = 0.75;     ///< share of the network's samples that are variations of those given
  double scoreTemperature = 1;    ///< τ of τ²·KL
  double outputWeight = 5;        ///< of the NMSE of outputs with class scores, beside their KL
  double blockWeight = 1;         ///< of the mean NMSE of the blocks' outputs
  double labelWeight = 0.1;       ///< of the cross entropy of labelled samples
  std::optional<double> seconds;  ///< stop then with the best state
  /// Written while training, and resumed from; may be null.
  std::shared_ptr<CheckpointStore> checkpoint;
  /// Earlier results: where one is of this training, it is taken instead.
  std::vector<std::shared_ptr<const TrainedState>> known;
  bool onlyKnown = false;  ///< nothing is trained: without such a result there is none
  /// Asked between two steps; true ends training with the best state.
  std::function<bool()> stop;
  std::function<void(const TrainingPoint&)> onPoint;
};

/// The same with weights that stay, and without blocks: biases, scales and zero points are few, so
/// that they do not learn few samples by heart.
TrainingSettings withoutWeights(TrainingSettings settings);

enum class TrainingEnd : unsigned char { Done, EarlyStop, OutOfTime, Stopped, Diverged };

/// The course of a training.
struct TrainingReport {
  std::vector<TrainingPoint> curve;
  std::size_t trainSamples = 0;
  std::size_t heldBackSamples = 0;
  std::size_t blocks = 0;
  std::size_t steps = 0;         ///< of all phases
  std::size_t plannedSteps = 0;  ///< of all phases, where none ends early
  double startLoss = 0;          ///< of the network on samples that are held back
  double bestLoss = 0;
  TrainingEnd end = TrainingEnd::Done;
  bool resumed = false;
  double seconds = 0;              ///< with those before it was resumed
  std::vector<std::string> notes;  ///< deviations from the settings
};

/// "stopped early", "diverged", for reports.
std::string words(TrainingEnd end);

}  // namespace quantscope

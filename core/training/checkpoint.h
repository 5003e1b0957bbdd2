#pragma once

#include <optional>

#include "base/content_id.h"
#include "training/checkpoint_store.h"
#include "training/learned_parameters.h"
#include "training/training_settings.h"

namespace quantscope {

/// Where a training stands between two steps: all that it needs to go on to the same bits.
struct TrainingCheckpoint {
  ContentId training;  ///< of network, configuration, samples and settings
  std::size_t phase = 0;
  std::size_t step = 0;       ///< done of the phase
  std::size_t sinceBest = 0;  ///< evaluations of the phase without a better one
  bool begun = false;         ///< the phase has its first evaluation
  double startLoss = 0;       ///< of the network
  double firstLoss = 0;       ///< of the phase
  double bestLoss = 0;
  double lossSum = 0;  ///< since the last point
  std::size_t lossCount = 0;
  std::size_t totalSteps = 0;
  TrainingEnd end = TrainingEnd::Done;
  double seconds = 0;
  LearnedParameters::Values values;
  LearnedParameters::Values first;
  LearnedParameters::Values second;
  LearnedParameters::Values best;
  LearnedParameters::Values average;  ///< of the phase's states
  std::vector<TrainingPoint> curve;
  std::vector<std::string> notes;
};

void writeCheckpoint(const TrainingCheckpoint& checkpoint, CheckpointStore& store);

/// nullopt if there is none. Throws InvalidData for what is no checkpoint, is damaged, or is
/// another training's, where the store has a name; else that is none.
std::optional<TrainingCheckpoint> readCheckpoint(const CheckpointStore& store, ContentId training);

}  // namespace quantscope

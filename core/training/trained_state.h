#pragma once

#include <string>

#include "base/content_id.h"
#include "training/learned_parameters.h"
#include "training/training_settings.h"

namespace quantscope {

/// What a training has come to: enough to have its result again, bit for bit, without training.
struct TrainedState {
  ContentId training;  ///< of network, configuration, samples and settings
  LearnedParameters::Values values;
  std::size_t steps = 0;  ///< of all phases
  double startLoss = 0;   ///< of the network
  TrainingEnd end = TrainingEnd::Done;
};

std::string toBytes(const TrainedState& state);
/// Throws InvalidData where the bytes are not of a state; `source` names them.
TrainedState trainedStateFrom(const std::string& bytes, const std::string& source);

}  // namespace quantscope

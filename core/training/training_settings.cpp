#include "training/training_settings.h"

namespace quantscope {

TrainingSettings withoutWeights(TrainingSettings settings) {
  settings.rates.weight = 0;
  settings.blockShare = 0;
  return settings;
}

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

}  // namespace quantscope

#pragma once

#include "jobs/load_model.h"
#include "training/training_steps.h"

namespace quantscope {

/// The gain of training over the recipe of repairs.
struct TrainingBenchmark {
  std::size_t samples = 0;
  double startDb = 0;            ///< SQNR of the worst output, held out; within ±150
  double recipeDb = 0;           ///< after the repairs
  double endDb = 0;              ///< after the training, where it stays
  std::optional<double> gainDb;  ///< of the training, whether it stays or not
  bool kept = false;
  std::string reason;
  double recipeSeconds = 0;  ///< without the training
  double seconds = 0;        ///< of the training
  TrainingReport training;
  double peakRssMib = 0;

  double stepsPerSecond() const { return static_cast<double>(training.steps) / seconds; }
};

/// Throws what runRepair() and train() throw.
TrainingBenchmark benchTraining(const LoadedModel& model, const Configuration& config,
                                SampleSet& samples, const TrainingSettings& settings,
                                JobContext& job);

}  // namespace quantscope

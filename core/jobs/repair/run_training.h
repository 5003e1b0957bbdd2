#pragma once

#include "jobs/repair/run_repair.h"
#include "training/training_steps.h"

namespace quantscope {

struct TrainingResult {
  RepairResult result;           ///< with the training as its only step; it stays where it passes
  TrainingReport training;       ///< how it went
  TrainingChoices choices = {};  ///< that the settings had, for the reports; the caller's to set
};

/// Calibrates, quantizes and trains a model; see train(). The trained state stays only where
/// samples that training has not seen pass the test of repairs, else the model is unchanged, bit
/// for bit. `labels`: of the data; see TrainingRun::takeLabels(). `batch`: samples per calibration
/// batch. `settings.seconds` is for all of it: where few samples are judged in turn, each training
/// has its share. Throws what repairModel() and train() throw: InsufficientData before anything is
/// trained.
TrainingResult runTraining(const LoadedModel& model, const Configuration& config, SampleSet& data,
                           SampleSet& calibration, const Labels& labels,
                           const TrainingSettings& settings, std::size_t batch,
                           AnalysisMemory& memory, JobContext& job);

/// Writes `model.onnx` (the trained float model), `config.json` (with exact parameters),
/// `repair.json` with the training as its only step, and `train.json` with its course into a
/// folder. Throws as writeRepair().
void writeTraining(const TrainingResult& result, const std::filesystem::path& folder,
                   JobContext& job);

}  // namespace quantscope

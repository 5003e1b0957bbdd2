#pragma once

#include "training/training_samples.h"
#include "training/training_settings.h"

namespace quantscope {

/// The state, if it can be trained as asked: throws UnsupportedOperation where no layer can, and
/// InvalidParameters for names that are no layers.
const RepairState& trainable(const RepairState& state, const LinearLayers& layers,
                             const TrainingSettings& settings);

/// The steps of the whole network: those set, else by its size, 3,000 up to 13 million
/// multiply-accumulates per sample and fewer beyond, but at least 600.
std::size_t trainingSteps(const TrainingSettings& settings, const Observations& observations);

/// Whether a network of so many blocks is trained block by block, before it is trained as a whole.
bool trainsBlocks(const TrainingSettings& settings, std::size_t blocks);
/// The steps of each block, for a network that is trained for `steps`.
std::size_t blockSteps(const TrainingSettings& settings, std::size_t steps);
/// The steps of all phases, where none ends early.
std::size_t plannedSteps(const TrainingSettings& settings, std::size_t steps, std::size_t blocks);

LearnedParameters::Settings learnedSettings(const TrainingSettings& settings);

/// The same for trainings that take the same steps: of network, configuration, samples and
/// settings, but not of the time.
ContentId trainingId(const RepairState& state, const LinearLayers& layers,
                     const TrainingSamples& samples, const TrainingSettings& settings,
                     std::size_t steps);

}  // namespace quantscope

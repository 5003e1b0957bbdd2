#pragma once

#include "training/training_samples.h"
#include "training/training_settings.h"

namespace quantscope {

/// The state, if it can be trained as asked: throws UnsupportedOperation where no layer can, and
/// InvalidParameters for names that are no layers.
const RepairState& trainable(const RepairState& state, const LinearLayers& layers,
                             const TrainingSettings& settings);

LearnedParameters::Settings learnedSettings(const TrainingSettings& settings);

/// The same for trainings that take the same steps: of network, configuration, samples and
/// settings, but not of the time.
ContentId trainingId(const RepairState& state, const TrainingSamples& samples,
                     const TrainingSettings& settings);

}  // namespace quantscope

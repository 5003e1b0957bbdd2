#pragma once

#include "analysis/analyze.h"
#include "training/trained_state.h"
#include "training/training_settings.h"

namespace quantscope {

struct TrainingOutcome {
  Overlay overlay;  ///< of the best state; empty where nothing comes near the start
  std::shared_ptr<const TrainedState> state;  ///< null where it was to be known, and is not
  std::size_t layers = 0;                     ///< number of changed layers
  TrainingReport report;
};

/// Trains a quantized network towards its float twin on unlabelled samples: first block by block,
/// each from the quantized values before it to the float ones behind it, then as a whole, Adam with
/// a cosine schedule. Every fifth feed is held back: it stops training early and chooses the state
/// that is kept. A loss that is no number, or grows twentyfold, ends training with the best state.
///
/// `state` with normalizations folded. Bit-identical for any number of threads, and resumed from a
/// checkpoint, unless a time is set. Throws InsufficientData for fewer than 8 samples,
/// UnsupportedOperation where nothing can be trained (naming the operator without a gradient),
/// InvalidParameters for names that are no layers, InvalidData for a checkpoint that is another
/// training's, and Cancelled, with a checkpoint written. One that is stopped, or whose time is
/// over, leaves a checkpoint too; where none can be written it goes on, with a note.
TrainingOutcome train(const RepairState& state, const LinearLayers& layers, SampleSet& samples,
                      const Labels& labels, const TrainingSettings& settings, JobContext& job);

}  // namespace quantscope

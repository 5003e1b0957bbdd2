#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "base/time_limit.h"
#include "calibration/observers/observations.h"
#include "calibration/observers/value_observer.h"
#include "calibration/sample_set.h"
#include "precision/config/configuration.h"
#include "precision/parameters/quantized_model.h"
#include "repair/fixed_grids.h"
#include "repair/overlay.h"

namespace quantscope {

/// A model under repair. Overlays replace constants, turn a Clip into a Relu and insert operators
/// with ids behind all others, so the nodes and values of the model that was given have the same
/// ids in all engines of a repair.
struct RepairState {
  /// The target of the quantized model, layer by layer: the float model with the repairs that keep
  /// its results.
  std::shared_ptr<const Engine> twin;
  /// The float model with all repairs. It differs from the twin where weights are rounded and
  /// biases fitted, which make up for each other only when activations are quantized too.
  std::shared_ptr<const Engine> engine;
  Configuration config;                              ///< with the grids of fixed weights
  std::shared_ptr<const Observations> observations;  ///< of the twin
  std::shared_ptr<const QuantizedModel> model;       ///< `engine` under `config`
  /// By the node that leads a layer: statistics of the normalization that is folded into it.
  std::map<NodeId, NormalStatistics> statistics = {};
  FixedGrids fixed = {};  ///< by the configuration that was given
};

/// The tools of a repair besides the state. All outlive it.
struct RepairTools {
  SampleSet& fit;          ///< samples that steps may fit to
  SampleSet& calibration;  ///< samples that ranges are observed on
  const ObservationSettings& settings;
  AnalysisMemory& memory;
  JobContext& job;
  /// What steps that end themselves have to keep to; may be null.
  const TimeLimit* limit = nullptr;
  bool ofFold = false;   ///< `fit` is a part of what the step is fitted to in the end
  std::size_t runs = 1;  ///< of the step, which share the time: this one and those to come
};

/// The effect of an overlay on the float model.
enum class OverlayEffect : std::uint8_t {
  SameValues,   ///< every value that quantization reads stays what it is
  SameOutputs,  ///< values change their scale, the outputs stay: ranges are observed again
  Fitted,       ///< only the quantized model comes closer; the twin stays
};

/// The state with an overlay, quantized. Throws what quantizeModel() throws, and Cancelled.
RepairState withOverlay(const RepairState& state, const Overlay& overlay, OverlayEffect effect,
                        RepairTools& tools);

}  // namespace quantscope

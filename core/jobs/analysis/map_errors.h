#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/errors/error_maps.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The layer whose errors are mapped, and the place.
struct MapRequest {
  std::string layer;  ///< the name of any of its nodes
  MapKind kind = MapKind::Accumulated;
  /// One channel of one sample, place by place; absent = channels × samples alone.
  struct Place {
    std::size_t sample = 0;
    std::size_t channel = 0;
  };
  std::optional<Place> place;
  std::size_t batch = 1;  ///< samples per calibration batch
};

/// The errors of a layer.
struct MappedErrors {
  std::string json;
  std::vector<std::string> notices;  ///< of the quantized model
};

/// Calibrates, and maps the errors of one layer; the result as JSON text. Figures that do not exist
/// are null. Throws InvalidParameters for a layer, sample or channel that the model does not have,
/// and where the layer has no such error.
MappedErrors mapErrors(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                       SampleSet& calibration, const MapRequest& request, AnalysisMemory& memory,
                       JobContext& job);

}  // namespace quantscope

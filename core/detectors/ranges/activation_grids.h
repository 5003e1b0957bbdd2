#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// A place where a layer's values are rounded to one static integer grid: at its output, or on an
/// edge into it that its producer does not leave on that grid already.
struct ActivationGrid {
  const QuantizationPoint* point = nullptr;
  const QuantParams* params = nullptr;
  const Observation* observation = nullptr;  ///< of the value; not empty

  const Grid& grid() const { return params->grids.front(); }
  Range representable() const { return params->representable(grid()); }
  double levels() const { return static_cast<double>(params->qmax) - params->qmin + 1; }
};

/// The grids of quantized layer `index` of `model.layers`, the output first; none for data movers,
/// which keep their input's grid, and none for values that were not observed.
std::vector<ActivationGrid> activationGrids(const DetectorInput& input, std::size_t index);

/// The findings of `judge` for the grids of a layer, given its index: for each layer the finding
/// with the largest statistic, the first one of equals.
std::vector<Finding> worstOfEachLayer(
    const DetectorInput& input,
    const std::function<std::optional<Finding>(std::size_t, const ActivationGrid&)>& judge);

/// nullptr where nothing finite was observed of the value.
const Observation* observationOf(const DetectorInput& input, ValueId value);

/// "what 'conv1' computes" or "what goes into 'conv1'".
std::string placeOf(const DetectorInput& input, const ActivationGrid& grid);

/// "−0.1 to 2.5".
std::string spanText(const Range& range);

}  // namespace quantscope

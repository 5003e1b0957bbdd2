#pragma once

#include <string>
#include <vector>

#include "repair/repair_state.h"
#include "repair/scales/scale_regions.h"

namespace quantscope {

/// Values whose channels nothing that makes them can scale. A Mul by 1/s in front of the layers
/// that read such a value does it; all else reads the value as it is.
struct InsertedScales {
  std::vector<ScaleRegion> sites;     ///< each one value, its layers, and nothing that makes it
  std::vector<RefusedLayer> refused;  ///< layers that a Mul does not help, and why
};

/// The inputs of all layers but those in `scaled` (by layer), in execution order. A value that
/// stands on a grid where it is made is refused: its rounding is in it before the Mul. So is one
/// whose grid an encoding fixes, or whose edge to the layer the configuration's groups name.
InsertedScales findInsertedScales(const RepairState& state, const LinearLayers& layers,
                                  const std::vector<bool>& scaled);

/// Adds the Mul of a site, whose layers' weights are multiplied by factors[c] elsewhere. It stays
/// float, so that the layers' own grid is the only one behind it. Grids that repairs have fixed
/// for the layers' inputs go.
void insertMul(const RepairState& state, const std::vector<LinearLayer>& layers,
               const ScaleRegion& site, const std::vector<double>& factors, Overlay& overlay);

}  // namespace quantscope

#pragma once

#include <string>
#include <string_view>

#include "calibration/observers/observations.h"
#include "graph/graph.h"

namespace quantscope {

/// Observations of a graph's values as bytes: every number bit for bit, little-endian, with a
/// version in front and a checksum at the end.
std::string observationsToBytes(const Observations& observations, const Graph& graph);

/// The reverse. Throws Error(InvalidData), naming `source`, for bytes that are none or of another
/// version, that were cut off or changed, and for those of another model, whose values have other
/// names.
Observations observationsFromBytes(std::string_view bytes, const Graph& graph,
                                   const std::string& source);

}  // namespace quantscope

#pragma once

#include <string>
#include <string_view>

#include "detectors/detector.h"

namespace quantscope {

/// The detectors' results as bytes: every number bit for bit.
std::string detectorReportToBytes(const DetectorReport& report);

/// The reverse. Throws Error(InvalidData), naming `source`, for bytes that are none or of another
/// version, and for those of another model, whose nodes have other names.
DetectorReport detectorReportFromBytes(std::string_view bytes, const Graph& graph,
                                       const std::string& source);

}  // namespace quantscope

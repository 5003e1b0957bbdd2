#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// The configuration with every suggestion of the findings accepted that it can hold: what can be
/// neither quantized (groups that would contradict each other) nor run by the backend is left out,
/// so that accepting adds nothing that precision/backend_check.h would list.
///
/// Mode and granularity of layers with weights are what PyTorch's ModelReport makes of its
/// detectors' results (DetectorQConfigInfo): dynamic where that is recommended, per channel where
/// the backend can; of (mode, granularity), (mode, per tensor), (static, granularity) the first
/// that is valid for the layer on the backend, else the configuration's default. A layer that the
/// configuration keeps in float, quantizes dynamically already or scales by group stays so.
/// Of two suggestions for the same tensor the more severe holds. Equalization changes nothing: no
/// configuration can hold it. Throws InvalidConfiguration where `config` fits not the engine's
/// graph.
PrecisionConfig acceptAll(const Engine& engine, const PrecisionConfig& config,
                          const DetectorReport& report);

}  // namespace quantscope

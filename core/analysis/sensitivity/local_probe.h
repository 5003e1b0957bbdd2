#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/errors/error_records.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/evaluation/evaluator.h"
#include "graph/channel_axis.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// A layer that is run by itself under a quantization, on the values of the float network, and
/// compared with the float network at its output.
struct LocalProbe {
  const FusedLayer* layer = nullptr;
  const AppliedQuantization* applied = nullptr;
  ValueId output;
  ChannelAxis axis;  ///< of the output
  ContentId value;   ///< key of what it then gives, see ValueKeys
  ContentId record;  ///< key of the errors, without the feed
};

/// The probe of a layer of a quantized model, both of which must outlive it; nullopt for a layer in
/// float, in a sub-graph, or that cannot run. `channelAxes`: by value, see findChannelAxes().
std::optional<LocalProbe> probeOf(const Evaluator& evaluator, const ValueKeys& referenceKeys,
                                  const std::vector<ChannelAxis>& channelAxes,
                                  const LayerQuantization& layer,
                                  const AppliedQuantization& applied);

/// The powers of a probe's output and of its error; without any where the two do not compare.
PowerRecord measureProbe(const LocalProbe& probe, const Tensor& expected, const Tensor& actual,
                         const Feed& feed);

/// SQNR in dB over all samples by probe; nullopt where nothing could be compared. What the memory
/// has no errors of is run. Throws Cancelled.
std::vector<std::optional<double>> localSqnrDb(const Evaluator& evaluator,
                                               const ValueKeys& referenceKeys,
                                               std::span<const std::optional<LocalProbe>> probes,
                                               SampleSource& samples, AnalysisMemory& memory,
                                               JobContext& job);

}  // namespace quantscope

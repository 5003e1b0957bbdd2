#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The error of a layer that a map shows.
enum class MapKind { Local, Accumulated };

/// The error of one layer's output by channel and sample.
struct ChannelMap {
  std::size_t channels = 0;    ///< 1 where the output has no channel axis
  std::size_t samples = 0;     ///< 0 where nothing could be compared
  std::vector<double> sqnrDb;  ///< channel after channel; NaN = nothing to compare, or no signal

  double at(std::size_t channel, std::size_t sample) const {
    return sqnrDb[channel * samples + sample];
  }
};

/// Channel × sample errors of a layer of `model`; what `memory` holds is not computed again.
/// Nothing is compared where the layer has no such error: not quantized (local), or not computed.
/// The same bits for any number of threads. Throws Cancelled.
ChannelMap measureChannelMap(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                             std::size_t layer, MapKind kind, AnalysisMemory& memory,
                             JobContext& job);

/// One channel of a layer's output for one sample, place by place.
struct PixelMap {
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<float> expected;  ///< row after row: of the float network
  std::vector<float> actual;    ///< likewise: of the quantized one, or of the layer alone
};

/// The output of a layer without its batch and channel axes: the last axis is the width, all before
/// it the height. `channel` counts along the channel axis (0 where there is none). Absent where the
/// layer has no such error, in a sub-graph, and where the two shapes differ. Throws
/// InvalidParameters for a sample or channel that is not there; Cancelled.
std::optional<PixelMap> measurePixelMap(const Engine& engine, const QuantizedModel& model,
                                        SampleSet& samples, std::size_t layer, MapKind kind,
                                        std::size_t sample, std::size_t channel,
                                        AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/load_model.h"

namespace quantscope {

/// What a node takes of a pass on one thread. What is fused with it counts as its own.
struct NodeSpeed {
  NodeId node;
  double millisecondsPerSample = 0;
  double share = 0;                      ///< of the pass, 0 … 1
  std::optional<double> gflopPerSecond;  ///< none where nothing is multiplied; see flopsByNode
};

/// Speed of the float engine on one model.
struct EngineBenchmark {
  int threads = 0;
  double millisecondsPerSample = 0;  ///< one sample at a time on one thread, median
  double latencyMilliseconds = 0;    ///< one sample at a time on all threads, median
  double samplesPerSecond = 0;       ///< all threads on samples of their own, median of rounds
  double gflopPerSecond = 0;         ///< of convolutions and matrix products, at that throughput
  double peakGflopPerSecond = 0;     ///< in registers, on all threads, same run
  double peakRssMib = 0;             ///< of the process, since its start
  std::vector<NodeSpeed> slowest;    ///< the slowest first
  double onePeakGflopPerSecond = 0;  ///< the peak of one thread; 0 where no nodes are asked for
};

/// Runs the model for about `seconds` in each of the three ways, and once more where `slowest`
/// nodes are asked for. Throws Cancelled.
EngineBenchmark benchEngine(const LoadedModel& model, SampleSource& source, double seconds,
                            std::size_t slowest, JobContext& job);

}  // namespace quantscope

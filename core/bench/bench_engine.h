#pragma once

#include <cstddef>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/load_model.h"

namespace quantscope {

/// The part that a node has in the time of a pass. What is fused with it counts as its own.
struct NodeSpeed {
  NodeId node;
  double millisecondsPerSample = 0;
  double share = 0;           ///< of a pass, 0 … 1
  double gflopPerSecond = 0;  ///< 0 where nothing is multiplied; see flopsByNode
};

/// Speed of the float engine on one model.
struct EngineBenchmark {
  int threads = 0;
  double millisecondsPerSample = 0;  ///< one sample at a time on one thread, median
  double latencyMilliseconds = 0;    ///< one sample at a time on all threads, median
  double samplesPerSecond = 0;       ///< all threads on samples of their own, median of rounds
  double gflopPerSecond = 0;         ///< of convolutions and matrix products, at that throughput
  double peakGflopPerSecond = 0;     ///< a large matrix product on all threads, same run
  double peakRssMib = 0;             ///< of the process, since its start
  std::vector<NodeSpeed> slowest;    ///< the slowest first, each on one thread beside the others
};

/// Runs the model for about `seconds` in each of the three ways, and where `slowest` nodes are
/// asked for once more. Throws Cancelled.
EngineBenchmark benchEngine(const LoadedModel& model, SampleSource& source, double seconds,
                            std::size_t slowest, JobContext& job);

}  // namespace quantscope

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/job_context.h"

namespace quantscope {

/// The settings of a benchmark of kernels.
struct KernelBenchmarkSettings {
  std::size_t mebibytes = 256;  ///< of each array, ≥ 1
  std::size_t rounds = 7;       ///< of which the median counts, ≥ 1
  /// Only kernels whose names contain one of these; all if it is empty.
  std::vector<std::string> filters;
};

/// Speed of one kernel, all threads together.
struct KernelSpeed {
  std::string name;
  std::size_t elements = 0;  ///< of the array; with data in the cache, of each thread's
  double gelemPerSecond = 0;
  /// The fraction of the speed that the machine's limit allows, which is
  /// - "copy": kernels that write as much as they read can do no more than copy;
  /// - "read": the others cannot be faster than reading;
  /// - "arithmetic": on data in the cache ("…/l2"), the longer of two times: that of the kernel's
  ///   divisions at the speed of divisions in registers, and that of its other operations, counted
  ///   as the formula has them without loads and stores, at the speed of those in registers.
  ///
  /// Memory varies while other programs run: both limits are measured again before each round.
  double fractionOfLimit = 0;
  std::string limit;
};

struct KernelBenchmark {
  int threads = 0;
  /// The faster one of memcpy and of a loop with streaming stores; counts bytes read plus bytes
  /// written.
  double copyGbPerSecond = 0;
  double readGbPerSecond = 0;
  double divisionsGigaPerSecond = 0;   ///< of floats, in registers
  double operationsGigaPerSecond = 0;  ///< products and maxima of floats, in registers
  std::vector<KernelSpeed> kernels;
};

/// Measures all kernels on made-up numbers, after each one's answer was compared with that of a
/// scalar definition in double. Medians over rounds. Throws Cancelled, InvalidParameters where a
/// filter fits no kernel, and UnsupportedOperation for a wrong answer.
KernelBenchmark benchKernels(const KernelBenchmarkSettings& settings, JobContext& job);

}  // namespace quantscope

#include "analysis/analysis_memory.h"

#include <algorithm>

namespace quantscope {
namespace {

// Errors of some ten configurations of a large network; more samples are read again soon enough.
constexpr std::size_t kMost = std::size_t{256} << 20;

}  // namespace

std::size_t AnalysisMemory::sampleBytes(std::size_t budget) {
  return std::min(budget / 8, kMost);
}

std::size_t AnalysisMemory::errorBytes(std::size_t budget) {
  return std::min(budget / 4, kMost);
}

// Weights of some two configurations of a large network.
std::size_t AnalysisMemory::parameterBytes(std::size_t budget) {
  return std::min(budget / 8, kMost);
}

// A plan for each change of a sweep over a large network, and of another sweep beside.
std::size_t AnalysisMemory::planBytes(std::size_t budget) {
  return std::min(budget / 8, kMost);
}

std::size_t AnalysisMemory::runningBytes(std::size_t budget) {
  return budget / 8;
}

std::size_t AnalysisMemory::activationBytes(std::size_t budget) {
  return budget - errorBytes(budget) - sampleBytes(budget) - parameterBytes(budget) -
         planBytes(budget) - runningBytes(budget);
}

}  // namespace quantscope

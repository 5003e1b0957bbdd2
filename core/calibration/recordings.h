#pragma once

#include <cstddef>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "engine/engine.h"
#include "engine/evaluation/activation_cache.h"

namespace quantscope {

/// The feeds at which recordings begin, ascending from 0: feed i goes on from feed i − 1 where a
/// float input of it is what the float network has put out there, as the state of a network that
/// runs frame by frame is: of the same shape with more than one element, within 1e-3 of its norm,
/// neither constant nor the same input again. Where samples are independent every feed begins one.
///
/// Runs the outputs in question once, through the cache, and nothing where no float input may have
/// the shape of an output. Throws Cancelled, and what the samples throw.
std::vector<std::size_t> recordingStarts(const Engine& engine, ActivationCache& cache,
                                         SampleSet& samples, JobContext& job);

}  // namespace quantscope

#pragma once

#include "analysis/analyze.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/comparison.h"
#include "compare/matching/named_matches.h"
#include "engine/engine.h"

namespace quantscope {

/// Runs two models on the same samples, matches their values, and measures each layer of the second
/// against that of the first. The same for any number of threads.
///
/// Throws InvalidParameters where the models take other inputs, share no value, or a name of
/// `byHand` is not theirs; InvalidData where the labels fit no output; Cancelled.
ModelComparison compareModels(const Engine& first, const Engine& second, SampleSource& source,
                              const Labels& labels, const NamedMatches& byHand, JobContext& job);

}  // namespace quantscope

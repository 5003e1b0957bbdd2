#pragma once

#include "analysis/analyze.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/comparison.h"
#include "compare/dumps/dump_folder.h"
#include "compare/matching/named_matches.h"
#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// The SQNR below which a value has left the simulation, unless no element is off by more than a
/// step of its grid: in dB. Other orders of additions stay far above it.
inline constexpr double kLeavesDb = 60;

/// Compares what a device has computed with a run of the model here, under `applied` where that is
/// not null. A value counts as left where it does not follow from the dumped values before it, so
/// that one wrong layer is one suspect: ModelComparison::firstLeaving is the first of them in
/// execution order. Values that the model does not have are listed as unmatched.
///
/// Throws InvalidParameters where dumps and model share no value, or a name of `byHand` is not
/// theirs; InvalidData for samples that are
/// not there, for dumps that cannot be read and for labels that fit no output; Cancelled.
ModelComparison compareDumps(const Engine& engine, const AppliedQuantization* applied,
                             const DumpFolder& dumps, const NamedMatches& byHand,
                             SampleSource& source, const Labels& labels, JobContext& job);

}  // namespace quantscope

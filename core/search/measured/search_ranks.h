#pragma once

#include <optional>

#include "search/joint_ranks.h"
#include "search/measured/measured_search.h"

namespace quantscope {

/// The ranks of a search, with the content of its model, samples and labels; none where there is
/// one process only. Throws what reading the samples throws, and Cancelled.
std::optional<JointRanks> jointRanks(const Engine& engine, SampleSet& samples, const Labels& labels,
                                     const SearchRequest& request, const JobContext& job);

}  // namespace quantscope

#include "search/measured/search_ranks.h"

namespace quantscope {

std::optional<JointRanks> jointRanks(const Engine& engine, SampleSet& samples, const Labels& labels,
                                     const SearchRequest& request, const JobContext& job) {
  if (request.ranks == nullptr) return std::nullopt;
  ContentHasher inputs;
  inputs.add(engine.content());
  for (std::size_t feed = 0; feed < samples.feedCount(); ++feed) {
    job.throwIfCancelled();
    inputs.add(samples.read(feed).content);
  }
  for (const std::int64_t label : labels.classes) inputs.add(static_cast<std::uint64_t>(label));
  return JointRanks(*request.ranks, inputs.id(), request.origin, request.stop);
}

}  // namespace quantscope

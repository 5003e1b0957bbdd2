#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/content_id.h"
#include "base/job_context.h"
#include "base/ranks.h"

namespace quantscope {

/// Ranks that search together: all do the same in the same order, share what takes long, and end
/// early together. Every rank makes the same calls.
class JointRanks {
 public:
  /// `inputs`: the id of model, data and settings; `origin`: what else figures depend on, of the
  /// program and the processor. `stop` (may be empty): true ends the search on all ranks, whichever
  /// is asked to stop.
  JointRanks(Ranks& ranks, ContentId inputs, std::string origin, std::function<bool()> stop);

  /// The results of items 0 … count − 1, which each rank could compute; see Ranks::share(). `what`:
  /// the id of what the items are. Throws InvalidData where another rank is at something else, has
  /// other inputs or is of another origin, and Cancelled, on all ranks, where one is to stop or
  /// `job` is cancelled.
  std::vector<std::string> share(std::size_t count, ContentId what, const Ranks::Run& run,
                                 const JobContext& job);
  /// Waits until all ranks are here. Throws as above.
  void meet(ContentId what, const JobContext& job);

 private:
  Ranks& m_ranks;
  ContentId m_inputs;
  std::string m_origin;
  std::function<bool()> m_stop;
  std::uint64_t m_calls = 0;
};

}  // namespace quantscope

#pragma once

#include <optional>
#include <vector>

#include "search/advice/advice_budget.h"
#include "search/advice/candidate_edits.h"
#include "search/trial_runs.h"

namespace quantscope {

/// What the edits taken come to, measured as a whole.
struct SelectedEdits {
  std::optional<std::size_t> first;  ///< of the edits that were tried as a whole
  std::shared_ptr<const Trial> start;
  std::shared_ptr<const Trial> end;
};

/// Takes of `firsts` the one that as a whole improves the worst output most, then the candidates
/// that do so together, by real runs: in each round all are measured around what was taken so far,
/// and the ones that promise most for their cost are taken while the whole gets better. Nothing is
/// taken that makes an output worse than it is at the start, or than before by more than 0.05 dB,
/// on the samples that the search sees, on the held-out ones or on all, nor what the backend does
/// not run. Bit-identical for any number of threads. Throws Cancelled.
SelectedEdits selectForward(const Engine& engine, const Configuration& start,
                            const std::vector<ConfigEdit>& firsts,
                            const std::vector<CandidateEdit>& candidates,
                            const AdviceLimits& limits, TrialRuns& runs);

/// A candidate by itself, measured on all samples.
struct BestChange {
  std::size_t candidate = 0;
  std::shared_ptr<const Trial> start;
  std::shared_ptr<const Trial> end;
};

/// The candidate within the limits that improves the worst output most and makes no output worse;
/// nullopt if none improves it by 0.05 dB.
std::optional<BestChange> findBestChange(const Engine& engine, const Configuration& start,
                                         const std::vector<CandidateEdit>& candidates,
                                         const AdviceLimits& limits, TrialRuns& runs);

}  // namespace quantscope

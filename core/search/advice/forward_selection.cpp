#include "search/advice/forward_selection.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/errors/worst_output.h"
#include "base/workers.h"

namespace quantscope {
namespace {

constexpr double kNoLoss = 0.05;  // dB
// What two runs of the same may differ by, in dB: sums of floats in another order.
constexpr double kRunNoise = 1e-6;
constexpr int kMostSelections = 8;
constexpr int kMostCompared = 3;
// Candidates that a first ranking on few samples leaves: at most so many of those that gain there,
// and at least so many at all. A few samples say little of one that gains on most others.
constexpr std::size_t kFinalists = 48;
constexpr std::size_t kFewestFinalists = 32;
// Minimum cost of a change, as a share of the budget: a change that costs nothing is not infinitely
// good.
constexpr double kLeastCost = 0.02;

double signalToNoise(const OutputResult& output) {
  return output.error.sqnrDb.value_or(INFINITY);
}

// The gain of the worst output in dB; −∞ where an output gets worse.
double gainOver(const std::vector<OutputResult>& before, const std::vector<OutputResult>& after) {
  const std::optional<double> worstBefore = worstOutputSqnr(before);
  const std::optional<double> worstAfter = worstOutputSqnr(after);
  if (!worstBefore || !worstAfter) return 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (signalToNoise(after[i]) < signalToNoise(before[i]) - kNoLoss) return -INFINITY;
  }
  return gainBetween(*worstBefore, *worstAfter);
}

// True where no output is worse than at the start: small losses of many steps add up.
bool keepsOutputs(const std::vector<OutputResult>& start, const std::vector<OutputResult>& after) {
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (signalToNoise(after[i]) < signalToNoise(start[i]) - kRunNoise) return false;
  }
  return true;
}

class Selection {
 public:
  Selection(const Engine& engine, const Configuration& start,
            const std::vector<CandidateEdit>& candidates, const AdviceLimits& limits,
            TrialRuns& runs)
      : m_engine(engine),
        m_candidates(candidates),
        m_runs(runs),
        m_start(
            std::make_shared<const Trial>(runs.run(start, runs.quantize(start), "As configured"))),
        m_now(m_start),
        m_budget(limits, *m_start),
        m_open(candidates.size(), true) {}

  SelectedEdits select(const std::vector<ConfigEdit>& firsts) {
    const std::optional<std::size_t> first = takeBestOf(firsts);
    for (int round = 1; round <= kMostSelections; ++round) {
      const std::vector<Ranked> ranked =
          rank("Changes, round " + std::to_string(round), &Ranked::score);
      if (ranked.empty() || !takeFrom(ranked)) break;
    }
    return {first, m_start, m_now};
  }

  // Of the first few that keep all outputs, the one that gains most on all samples.
  std::optional<BestChange> best() {
    std::optional<BestChange> found;
    int kept = 0;
    for (const Ranked& each : rank("Next changes", &Ranked::gain)) {
      const std::shared_ptr<const Trial> tried = tryTogether({each.candidate});
      if (tried == nullptr || !isBetter(*tried)) continue;
      if (!found || gainOver(found->end->all, tried->all) > 0) {
        found = BestChange{each.candidate, m_start, tried};
      }
      if (++kept == kMostCompared) break;
    }
    return found;
  }

 private:
  struct Ranked {
    std::size_t candidate = 0;
    double gain = 0;   // dB
    double score = 0;  // for its cost
  };
  struct Variant {
    std::size_t candidate = 0;
    QuantizationChanges changes;
    double cost = 0;  // share of what may be spent
  };

  bool exact() const { return worstOutputSqnr(m_now->used).value_or(INFINITY) == INFINITY; }

  // Ranks the open candidates by a figure on a few samples, then the best of them, as far as they
  // gain, on all.
  std::vector<Ranked> rank(const std::string& stage, double Ranked::*figure) {
    if (exact()) return {};
    std::vector<std::optional<Variant>> found(m_candidates.size());
    m_runs.prepareEach("Preparing changes", found.size(), [&](std::size_t i) {
      if (m_open[i]) found[i] = variantOf(i);
    });
    std::vector<Variant> variants;
    for (std::optional<Variant>& variant : found) {
      if (variant) variants.push_back(*std::move(variant));
    }
    std::vector<Ranked> ranked = measure(variants, stage, TrialRuns::Samples::Few, figure);
    const auto gaining = static_cast<std::size_t>(std::ranges::count_if(ranked, gains));
    ranked.resize(std::min(ranked.size(), std::clamp(gaining, kFewestFinalists, kFinalists)));
    std::vector<Variant> finalists;
    for (const Ranked& each : ranked) {
      finalists.push_back(*std::ranges::find(variants, each.candidate, &Variant::candidate));
    }
    ranked = measure(finalists, stage, TrialRuns::Samples::Used, figure);
    std::erase_if(ranked, std::not_fn(gains));
    return ranked;
  }

  static bool gains(const Ranked& each) { return each.gain > kNoLoss; }

  std::vector<Ranked> measure(const std::vector<Variant>& variants, const std::string& stage,
                              TrialRuns::Samples samples, double Ranked::*figure) {
    if (variants.empty()) return {};
    std::vector<QuantizationChanges> changes(1);  // the first changes nothing
    for (const Variant& variant : variants) changes.push_back(variant.changes);
    const auto outputs = m_runs.runChanges(*m_now->model, changes, stage, samples);
    const bool comparable = samples == TrialRuns::Samples::Used;
    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const double gain = gainOver(outputs.front(), outputs[i + 1]);
      if (comparable && !keepsOutputs(m_start->used, outputs[i + 1])) continue;
      ranked.push_back({variants[i].candidate, gain, gain / (kLeastCost + variants[i].cost)});
    }
    std::ranges::stable_sort(ranked, std::greater(), figure);
    return ranked;
  }

  std::optional<Variant> variantOf(std::size_t candidate) const {
    const std::shared_ptr<const QuantizedModel> model =
        m_runs.quantize(apply(m_now->config, candidate));
    if (model == nullptr) return std::nullopt;
    const Spending spending = AdviceBudget::spendingOf(m_runs, *model);
    if (!m_budget.allows(*model, spending)) return std::nullopt;
    Variant variant{candidate, changesBetween(m_now->model->applied, model->applied), 0};
    if (variant.changes.empty()) return std::nullopt;
    const Spending now = AdviceBudget::spendingOf(*m_now);
    variant.cost = std::max(0.0, m_budget.shareOf(spending) - m_budget.shareOf(now));
    return variant;
  }

  Configuration apply(const Configuration& config, std::size_t candidate) const {
    return m_candidates[candidate].editOn(config, m_engine).apply(config);
  }

  bool withinLimits(const QuantizedModel& model) const {
    return m_budget.allows(model, AdviceBudget::spendingOf(m_runs, model));
  }

  std::optional<std::size_t> takeBestOf(const std::vector<ConfigEdit>& edits) {
    std::optional<std::size_t> taken;
    std::shared_ptr<const Trial> found;
    for (std::size_t i = 0; i < edits.size() && !exact(); ++i) {
      if (edits[i].steps.empty()) continue;
      const Configuration config = edits[i].apply(m_now->config);
      const std::shared_ptr<const QuantizedModel> model = m_runs.quantize(config);
      if (model == nullptr || !withinLimits(*model)) continue;
      auto tried = std::make_shared<const Trial>(m_runs.run(config, model, edits[i].sentence));
      // None makes an output worse than now, so that the worst output decides between them.
      const bool best = found == nullptr || worstNoise(tried->used) < worstNoise(found->used);
      if (!best || !isBetter(*tried)) continue;
      taken = i;
      found = std::move(tried);
    }
    if (found != nullptr) m_now = std::move(found);
    return taken;
  }

  // Takes as many as work together: if all are no better than the best single one, half of them.
  bool takeFrom(const std::vector<Ranked>& ranked) {
    const double single = std::ranges::max(ranked, {}, &Ranked::gain).gain;
    for (std::size_t count = ranked.size(); count > 0; count /= 2) {
      std::vector<std::size_t> together;
      for (std::size_t i = 0; i < count; ++i) together.push_back(ranked[i].candidate);
      const std::shared_ptr<const Trial> tried = tryTogether(together);
      if (tried == nullptr || !isBetter(*tried)) continue;
      const bool enough = count == 1 || gainOver(m_now->used, tried->used) >= single;
      if (!enough) continue;
      take(together, tried);
      return true;
    }
    // Not even the one with the best score; those that gain most are tried once each.
    for (const Ranked& each : ranked) m_open[each.candidate] = each.gain < single;
    for (const Ranked& each : ranked) {
      if (each.gain < single) continue;
      const std::shared_ptr<const Trial> tried = tryTogether({each.candidate});
      if (tried == nullptr || !isBetter(*tried)) continue;
      take({each.candidate}, tried);
      return true;
    }
    return ranked.size() > 1;
  }

  // One after the other, without those that would exceed a limit then; null where none is left.
  std::shared_ptr<const Trial> tryTogether(std::vector<std::size_t>& candidates) {
    Configuration config = m_now->config;
    std::shared_ptr<const QuantizedModel> model;
    std::vector<std::size_t> kept;
    for (const std::size_t candidate : candidates) {
      Configuration next = apply(config, candidate);
      std::shared_ptr<const QuantizedModel> changed = m_runs.quantize(next);
      if (changed == nullptr || !withinLimits(*changed)) continue;
      config = std::move(next);
      model = std::move(changed);
      kept.push_back(candidate);
    }
    candidates = kept;
    if (model == nullptr) return nullptr;
    return std::make_shared<const Trial>(m_runs.run(config, model, "Changes together"));
  }
  std::shared_ptr<const Trial> tryTogether(std::vector<std::size_t>&& candidates) {
    return tryTogether(candidates);
  }

  bool isBetter(const Trial& trial) const {
    const bool keeps = keepsOutputs(m_start->used, trial.used) &&
                       keepsOutputs(m_start->heldOut, trial.heldOut) &&
                       keepsOutputs(m_start->all, trial.all);
    if (!keeps) return false;
    const bool heldOut = !m_runs.holdsOut() || gainOver(m_now->heldOut, trial.heldOut) > -kNoLoss;
    return heldOut && gainOver(m_now->used, trial.used) > kNoLoss &&
           gainOver(m_now->all, trial.all) > 0;
  }

  void take(const std::vector<std::size_t>& candidates, std::shared_ptr<const Trial> trial) {
    for (const std::size_t candidate : candidates) m_open[candidate] = false;
    m_now = std::move(trial);
  }

  const Engine& m_engine;
  const std::vector<CandidateEdit>& m_candidates;
  TrialRuns& m_runs;
  std::shared_ptr<const Trial> m_start;
  std::shared_ptr<const Trial> m_now;
  AdviceBudget m_budget;
  std::vector<bool> m_open;
};

}  // namespace

SelectedEdits selectForward(const Engine& engine, const Configuration& start,
                            const std::vector<ConfigEdit>& firsts,
                            const std::vector<CandidateEdit>& candidates,
                            const AdviceLimits& limits, TrialRuns& runs) {
  return Selection(engine, start, candidates, limits, runs).select(firsts);
}

std::optional<BestChange> findBestChange(const Engine& engine, const Configuration& start,
                                         const std::vector<CandidateEdit>& candidates,
                                         const AdviceLimits& limits, TrialRuns& runs) {
  return Selection(engine, start, candidates, limits, runs).best();
}

}  // namespace quantscope

#include "search/advice/backward_elimination.h"

#include <algorithm>
#include <map>

#include "base/workers.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

// How much of what is beyond the limits goes in one round: what else is harmless then is measured
// anew.
constexpr double kOfExcess = 0.5;
// Below that all that is left goes at once.
constexpr double kLittle = 0.1;
constexpr int kMostRounds = 10;

using Options = std::vector<std::size_t>;
using Unit = std::vector<std::size_t>;  // layers of the space that are narrowed as one

class Elimination {
 public:
  Elimination(const Engine& engine, const SearchSpace& space, const Trial& now,
              const AdviceLimits& limits, TrialRuns& runs)
      : m_engine(engine), m_space(space), m_start(now), m_budget(limits, now), m_runs(runs) {
    for (const SearchLayer& layer : space.layers) m_options.push_back(widestOf(layer));
    findUnits();
  }

  Options run() {
    std::shared_ptr<const QuantizedModel> model = quantize(m_options);
    for (int round = 1; model != nullptr && round <= kMostRounds; ++round) {
      const double excess = excessOf(*model);
      if (excess == 0) return m_options;
      const bool last = round == kMostRounds || excess < kLittle;
      if (!narrow(rank(*model, excess), last ? 0 : kOfExcess * excess)) break;
      model = quantize(m_options);
    }
    return Options(m_options.size(), 0);
  }

 private:
  struct Ranked {
    std::size_t unit = 0;
    double harm = 0;   // noise that it adds, for the excess that it takes away
    double saved = 0;  // of the excess
  };

  static std::size_t widestOf(const SearchLayer& layer) {
    std::size_t widest = 0;
    for (std::size_t i = 0; i < layer.options.size(); ++i) {
      if (bitWidth(layer.options[i].type) > bitWidth(layer.options[widest].type)) widest = i;
    }
    return widest;
  }

  void findUnits() {
    std::map<ValueId, std::size_t> unitOfWeight;
    for (std::size_t place = 0; place < m_options.size(); ++place) {
      if (m_options[place] == 0) continue;
      const LayerQuantization& layer = m_start.model->layers[m_space.layers[place].layer];
      const Node& node = m_engine.graph()[layer.layer.lead()];
      const std::optional<std::size_t> slot = weightInput(m_engine, node);
      if (slot) {
        const auto [known, isNew] = unitOfWeight.emplace(node.inputs[*slot], m_units.size());
        if (!isNew) {
          m_units[known->second].push_back(place);
          continue;
        }
      }
      m_units.push_back({place});
    }
  }

  std::shared_ptr<const QuantizedModel> quantize(const Options& options) const {
    return m_runs.quantize(editOf(m_space, options, {}).apply(m_start.config));
  }
  double excessOf(const QuantizedModel& model) const {
    return m_budget.excessOf(AdviceBudget::spendingOf(m_runs, model));
  }

  Options without(Options options, std::size_t unit) const {
    for (const std::size_t place : m_units[unit]) options[place] = 0;
    return options;
  }

  // The units whose narrowing takes of the excess, the most harmless for that first.
  std::vector<Ranked> rank(const QuantizedModel& model, double excess) {
    std::vector<std::optional<QuantizationChanges>> found(m_units.size());
    std::vector<double> saved(m_units.size());
    m_runs.workers().forEach(m_units.size(), [&](std::size_t i) {
      const Options options = without(m_options, i);
      if (options == m_options) return;
      const std::shared_ptr<const QuantizedModel> changed = quantize(options);
      if (changed == nullptr) return;
      saved[i] = excess - excessOf(*changed);
      if (saved[i] > 0) found[i] = changesBetween(model.applied, changed->applied);
    });
    std::vector<Ranked> ranked;
    std::vector<QuantizationChanges> changes(1);  // the first changes nothing
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) continue;
      changes.push_back(*std::move(found[i]));
      ranked.push_back({i, 0, saved[i]});
    }
    if (ranked.empty()) return ranked;
    const auto outputs =
        m_runs.runChanges(model, changes, "What need not be wide", TrialRuns::Samples::Few);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const double added = worstNoise(outputs[i + 1]) - worstNoise(outputs.front());
      ranked[i].harm = added / ranked[i].saved;
    }
    std::ranges::stable_sort(ranked, {}, &Ranked::harm);
    return ranked;
  }

  // Takes units from the front until at most `rest` of the excess is left; at least one.
  bool narrow(const std::vector<Ranked>& ranked, double rest) {
    for (const Ranked& each : ranked) {
      m_options = without(std::move(m_options), each.unit);
      const std::shared_ptr<const QuantizedModel> model = quantize(m_options);
      if (model != nullptr && excessOf(*model) <= rest) break;
    }
    return !ranked.empty();
  }

  const Engine& m_engine;
  const SearchSpace& m_space;
  const Trial& m_start;
  AdviceBudget m_budget;
  TrialRuns& m_runs;
  Options m_options;
  std::vector<Unit> m_units;
};

}  // namespace

std::vector<std::size_t> eliminateBackward(const Engine& engine, const SearchSpace& space,
                                           const Trial& now, const AdviceLimits& limits,
                                           TrialRuns& runs) {
  return Elimination(engine, space, now, limits, runs).run();
}

}  // namespace quantscope

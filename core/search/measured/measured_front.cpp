#include "search/measured/measured_front.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace quantscope {
namespace {

// A change takes away at most so much of the noise: that of other layers stays.
constexpr double kLeastLeft = 0.05;

// Pairs of changes are made of so many that save most.
constexpr std::size_t kLeading = 8;

using Noise = std::vector<double>;  // by output

using Steps = std::vector<std::pair<std::size_t, std::size_t>>;  // layer and option

/// Another option for one layer, and for those that have to go with it.
struct OptionChange {
  Steps steps;
  double cost = 0;        ///< more than now
  Noise noise;            ///< likewise
  double worstNoise = 0;  ///< likewise, at the output that is the worst now
};

// On all samples, as the front has it.
Noise noiseOf(const Trial& trial) {
  Noise noise;
  for (const OutputResult& output : trial.all) noise.push_back(noisePower(output).value_or(0));
  return noise;
}

double worstAfter(const Noise& before, const Noise& after) {
  double worst = 1e-15;
  for (std::size_t i = 0; i < before.size(); ++i) {
    worst = std::max(worst, std::max(after[i], kLeastLeft * before[i]));
  }
  return worst;
}

// Those with the lowest figure, all below 0.
std::vector<OptionChange> leading(std::vector<OptionChange> changes, double OptionChange::*figure) {
  std::erase_if(changes, [&](const OptionChange& change) { return change.*figure >= 0; });
  std::ranges::stable_sort(changes, {}, figure);
  if (changes.size() > kLeading) changes.resize(kLeading);
  return changes;
}

// Looks at members of the front, one after the other, for the change that lies the highest above.
class BesideFront {
 public:
  BesideFront(const Trials& trials, FrontCost cost, const IntegerProgram& program, bool anyChange)
      : m_trials(trials),
        m_cost(cost),
        m_program(program),
        m_borders(program.units.size()),
        m_ties(program.units.size()),
        m_highest(anyChange ? 0 : 1) {
    for (const auto& units : program.alike) tie(units, &ProgramChoice::form);
    for (const auto& units : program.together) tie(units, &ProgramChoice::kind);
    for (const ProgramBorder& border : program.borders) {
      m_borders[border.first].push_back({border.second, border.cost});
      m_borders[border.second].push_back({border.first, border.cost});
    }
  }

  std::optional<LayerOptions> find() {
    const std::vector<Trials::const_iterator> front = measuredFront(m_trials, m_cost);
    for (const Trials::const_iterator& member : front) {
      const double before = m_steps.empty() ? kSpoiltNoise : m_steps.back().second;
      m_steps.emplace_back(costOfPoint(member->second->point, m_cost),
                           std::min(before, worstNoise(member->second->all)));
    }
    for (const Trials::const_iterator& member : front) lookAround(*member);
    return std::move(m_best);
  }

 private:
  void lookAround(const Trials::value_type& member) {
    const Noise noise = noiseOf(*member.second);
    const std::vector<OptionChange> changes = changesOf(member.first, noise);
    for (const OptionChange& change : changes) consider(member, noise, change);
    const std::vector<OptionChange> quieter = leading(changes, &OptionChange::worstNoise);
    const std::vector<OptionChange> cheaper = leading(changes, &OptionChange::cost);
    for (const OptionChange& one : quieter) {
      for (const OptionChange& other : cheaper) {
        if (const auto both = together(member.first, one, other)) consider(member, noise, *both);
      }
    }
  }

  std::vector<OptionChange> changesOf(const LayerOptions& member, const Noise& noise) const {
    std::vector<OptionChange> changes;
    const auto worst = static_cast<std::size_t>(std::ranges::max_element(noise) - noise.begin());
    const auto noiseAlone = [&](std::size_t layer, std::size_t option, std::size_t output) {
      const Noise& alone = m_program.units[layer][option].noise;
      return output < alone.size() ? alone[output] : 0;
    };
    for (std::size_t i = 0; i < member.size(); ++i) {
      for (std::size_t option = 0; option < m_program.units[i].size(); ++option) {
        if (option == member[i]) continue;
        OptionChange change{stepsFor(member, i, option), 0, Noise(noise.size()), 0};
        if (change.steps.empty()) continue;
        change.cost = addedCost(member, change.steps);
        for (const auto& [layer, chosen] : change.steps) {
          for (std::size_t output = 0; output < noise.size(); ++output) {
            change.noise[output] +=
                noiseAlone(layer, chosen, output) - noiseAlone(layer, member[layer], output);
          }
        }
        if (!noise.empty()) change.worstNoise = change.noise[worst];
        changes.push_back(std::move(change));
      }
    }
    return changes;
  }

  // With what has to go with it, so that units that are tied agree; none where they cannot.
  Steps stepsFor(const LayerOptions& member, std::size_t layer, std::size_t option) const {
    Steps steps{{layer, option}};
    for (std::size_t at = 0; at < steps.size(); ++at) {
      const auto [from, chosen] = steps[at];
      const ProgramChoice& choice = m_program.units[from][chosen];
      for (const Tie& tie : m_ties[from]) {
        for (const std::size_t unit : *tie.units) {
          const std::vector<ProgramChoice>& choices = m_program.units[unit];
          const bool isIn =
              std::ranges::find(steps, unit, &Steps::value_type::first) != steps.end();
          if (isIn || tie.agree(choices[member[unit]], choice)) continue;
          auto other = std::ranges::find_if(choices, [&](const ProgramChoice& each) {
            return each.form == choice.form && each.kind == choice.kind;
          });
          if (other == choices.end()) {
            other = std::ranges::find_if(
                choices, [&](const ProgramChoice& each) { return tie.agree(each, choice); });
          }
          if (other == choices.end()) return {};
          steps.emplace_back(unit, static_cast<std::size_t>(other - choices.begin()));
        }
      }
    }
    return steps;
  }

  // Both changes; none where they change the same layer.
  std::optional<OptionChange> together(const LayerOptions& member, const OptionChange& one,
                                       const OptionChange& other) const {
    OptionChange both = one;
    for (const auto& step : other.steps) {
      if (std::ranges::find(one.steps, step.first, &Steps::value_type::first) != one.steps.end()) {
        return std::nullopt;
      }
      both.steps.push_back(step);
    }
    both.cost = addedCost(member, both.steps);
    for (std::size_t i = 0; i < both.noise.size(); ++i) both.noise[i] += other.noise[i];
    return both;
  }

  // With the conversions at the layer's borders.
  double addedCost(const LayerOptions& options, std::size_t layer, std::size_t option) const {
    const std::vector<ProgramChoice>& choices = m_program.units[layer];
    double cost = choices[option].cost - choices[options[layer]].cost;
    for (const auto& [other, price] : m_borders[layer]) {
      const int beside = m_program.units[other][options[other]].kind;
      if (choices[option].kind != beside) cost += price;
      if (choices[options[layer]].kind != beside) cost -= price;
    }
    return cost;
  }

  // One after the other: of the same border several may have a part.
  double addedCost(const LayerOptions& options, const Steps& steps) const {
    if (steps.size() == 1) return addedCost(options, steps[0].first, steps[0].second);
    LayerOptions changed = options;
    double cost = 0;
    for (const auto& [layer, option] : steps) {
      cost += addedCost(changed, layer, option);
      changed[layer] = option;
    }
    return cost;
  }

  void consider(const Trials::value_type& member, const Noise& noise, const OptionChange& change) {
    Noise after = noise;
    const double cost = costOfPoint(member.second->point, m_cost) + change.cost;
    for (std::size_t i = 0; i < after.size(); ++i) after[i] += change.noise[i];
    const double above = noiseAt(cost) / worstAfter(noise, after);
    if (above <= m_highest) return;
    LayerOptions changed = member.first;
    for (const auto& [layer, option] : change.steps) changed[layer] = option;
    if (m_trials.contains(changed) || !isPossible(m_program, changed)) return;
    m_best = std::move(changed);
    m_highest = above;
  }

  // The least noise of the front's members that cost no more.
  double noiseAt(double cost) const {
    const auto beyond = std::ranges::upper_bound(m_steps, cost, {}, &Step::first);
    return beyond == m_steps.begin() ? kSpoiltNoise : std::prev(beyond)->second;
  }

  using Step = std::pair<double, double>;         // cost, and the least noise up to there
  using Beside = std::pair<std::size_t, double>;  // layer, and the cost of a conversion

  /// Units that have to agree.
  struct Tie {
    const std::vector<std::size_t>* units;
    int ProgramChoice::*by;

    bool agree(const ProgramChoice& one, const ProgramChoice& other) const {
      const bool fitsAll = by == &ProgramChoice::kind && (one.kind < 0 || other.kind < 0);
      return fitsAll || one.*by == other.*by;
    }
  };

  void tie(const std::vector<std::size_t>& units, int ProgramChoice::*by) {
    for (const std::size_t unit : units) m_ties[unit].push_back({&units, by});
  }

  const Trials& m_trials;
  FrontCost m_cost;
  const IntegerProgram& m_program;
  std::vector<std::vector<Beside>> m_borders;  // by layer
  std::vector<std::vector<Tie>> m_ties;        // by layer
  std::vector<Step> m_steps;
  std::optional<LayerOptions> m_best;
  double m_highest;  // times less noise than the front has
};

}  // namespace

std::vector<Trials::const_iterator> measuredFront(const Trials& trials, FrontCost cost) {
  std::vector<Trials::const_iterator> all;
  for (auto each = trials.begin(); each != trials.end(); ++each) all.push_back(each);
  const auto sqnr = [](Trials::const_iterator each) {
    return each->second->point.sqnrDb.value_or(0);
  };
  std::ranges::stable_sort(all, [&](Trials::const_iterator one, Trials::const_iterator other) {
    const ParetoPoint& a = one->second->point;
    const ParetoPoint& b = other->second->point;
    if (costOfPoint(a, cost) != costOfPoint(b, cost))
      return costOfPoint(a, cost) < costOfPoint(b, cost);
    if (sqnr(one) != sqnr(other)) return sqnr(one) > sqnr(other);
    return a.bytes < b.bytes;
  });
  std::vector<Trials::const_iterator> front;
  for (const Trials::const_iterator& each : all) {
    if (front.empty() || sqnr(each) > sqnr(front.back())) front.push_back(each);
  }
  return front;
}

std::optional<LayerOptions> besideFront(const Trials& trials, FrontCost cost,
                                        const IntegerProgram& program, bool anyChange) {
  return BesideFront(trials, cost, program, anyChange).find();
}

}  // namespace quantscope

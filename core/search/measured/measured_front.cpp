#include "search/measured/measured_front.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace quantscope {
namespace {

// A change takes away at most so much of the noise: that of other layers stays.
constexpr double kLeastLeft = 0.05;

// Pairs of changes are made of so many that save most.
constexpr std::size_t kLeading = 8;

using Noise = std::vector<double>;  // by output

/// Another option for one layer.
struct OptionChange {
  std::size_t layer = 0;
  std::size_t option = 0;
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
        m_highest(anyChange ? 0 : 1) {
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
    for (const OptionChange& change : changes) consider(member, noise, {&change, 1});
    const std::vector<OptionChange> quieter = leading(changes, &OptionChange::worstNoise);
    const std::vector<OptionChange> cheaper = leading(changes, &OptionChange::cost);
    for (const OptionChange& one : quieter) {
      for (const OptionChange& other : cheaper) {
        if (one.layer != other.layer) consider(member, noise, std::array{one, other});
      }
    }
  }

  std::vector<OptionChange> changesOf(const LayerOptions& member, const Noise& noise) const {
    std::vector<OptionChange> changes;
    const auto worst = static_cast<std::size_t>(std::ranges::max_element(noise) - noise.begin());
    for (std::size_t i = 0; i < member.size(); ++i) {
      const std::vector<ProgramChoice>& choices = m_program.units[i];
      const auto noiseAlone = [&](std::size_t option, std::size_t output) {
        return output < choices[option].noise.size() ? choices[option].noise[output] : 0;
      };
      for (std::size_t option = 0; option < choices.size(); ++option) {
        if (option == member[i]) continue;
        OptionChange change{i, option, addedCost(member, i, option), {}, 0};
        for (std::size_t output = 0; output < noise.size(); ++output) {
          change.noise.push_back(noiseAlone(option, output) - noiseAlone(member[i], output));
        }
        if (!noise.empty()) change.worstNoise = change.noise[worst];
        changes.push_back(std::move(change));
      }
    }
    return changes;
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

  // One change, or two: of the same border both may have a part.
  double addedCost(const LayerOptions& options, std::span<const OptionChange> changes) const {
    if (changes.size() == 1) return changes.front().cost;
    LayerOptions changed = options;
    changed[changes.front().layer] = changes.front().option;
    return changes.front().cost + addedCost(changed, changes.back().layer, changes.back().option);
  }

  void consider(const Trials::value_type& member, const Noise& noise,
                std::span<const OptionChange> changes) {
    Noise after = noise;
    const double cost =
        costOfPoint(member.second->point, m_cost) + addedCost(member.first, changes);
    for (const OptionChange& change : changes) {
      for (std::size_t i = 0; i < after.size(); ++i) after[i] += change.noise[i];
    }
    const double above = noiseAt(cost) / worstAfter(noise, after);
    if (above <= m_highest) return;
    LayerOptions changed = member.first;
    for (const OptionChange& change : changes) changed[change.layer] = change.option;
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

  const Trials& m_trials;
  FrontCost m_cost;
  const IntegerProgram& m_program;
  std::vector<std::vector<Beside>> m_borders;  // by layer
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

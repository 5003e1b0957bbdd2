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
  double bytes = 0;       ///< more than now
  Noise noise;            ///< likewise
  double worstNoise = 0;  ///< likewise, at the output that is the worst now
};

Noise noiseOf(const Trial& trial) {
  Noise noise;
  for (const OutputResult& output : trial.used) noise.push_back(noisePower(output).value_or(0));
  return noise;
}

double worstAfter(const Noise& before, const Noise& after) {
  double worst = 1e-15;
  for (std::size_t i = 0; i < before.size(); ++i) {
    worst = std::max(worst, std::max(after[i], kLeastLeft * before[i]));
  }
  return worst;
}

std::vector<OptionChange> changesOf(const LayerOptions& member, const Noise& noise,
                                    const SearchSpace& space, const AddedNoise& alone) {
  std::vector<OptionChange> changes;
  const auto worst = static_cast<std::size_t>(std::ranges::max_element(noise) - noise.begin());
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    const std::vector<LayerOption>& options = space.layers[i].options;
    const std::size_t now = member[i];
    const auto noiseAlone = [&](std::size_t option, std::size_t output) {
      return output < alone[i][option].size() ? alone[i][option][output] : 0;
    };
    for (std::size_t option = 0; option < options.size(); ++option) {
      if (option == now) continue;
      OptionChange change{i, option, options[option].bytes - options[now].bytes, {}, 0};
      for (std::size_t output = 0; output < noise.size(); ++output) {
        change.noise.push_back(noiseAlone(option, output) - noiseAlone(now, output));
      }
      if (!noise.empty()) change.worstNoise = change.noise[worst];
      changes.push_back(std::move(change));
    }
  }
  return changes;
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
  BesideFront(const Trials& trials, const SearchSpace& space, const AddedNoise& alone,
              const IntegerProgram& program)
      : m_trials(trials), m_space(space), m_alone(alone), m_program(program) {}

  std::optional<LayerOptions> find() {
    const std::vector<Trials::const_iterator> front = measuredFront(m_trials);
    for (const Trials::const_iterator& member : front) {
      const double before = m_steps.empty() ? kSpoiltNoise : m_steps.back().second;
      m_steps.emplace_back(member->second->point.bytes,
                           std::min(before, worstNoise(member->second->used)));
    }
    for (const Trials::const_iterator& member : front) lookAround(*member);
    return std::move(m_best);
  }

 private:
  void lookAround(const Trials::value_type& member) {
    const Noise noise = noiseOf(*member.second);
    const std::vector<OptionChange> changes = changesOf(member.first, noise, m_space, m_alone);
    for (const OptionChange& change : changes) consider(member, noise, {&change, 1});
    const std::vector<OptionChange> quieter = leading(changes, &OptionChange::worstNoise);
    const std::vector<OptionChange> smaller = leading(changes, &OptionChange::bytes);
    for (const OptionChange& one : quieter) {
      for (const OptionChange& other : smaller) {
        if (one.layer != other.layer) consider(member, noise, std::array{one, other});
      }
    }
  }

  void consider(const Trials::value_type& member, const Noise& noise,
                std::span<const OptionChange> changes) {
    Noise after = noise;
    double bytes = member.second->point.bytes;
    for (const OptionChange& change : changes) {
      bytes += change.bytes;
      for (std::size_t i = 0; i < after.size(); ++i) after[i] += change.noise[i];
    }
    const double above = noiseAt(bytes) / worstAfter(noise, after);
    if (above <= m_highest) return;
    LayerOptions changed = member.first;
    for (const OptionChange& change : changes) changed[change.layer] = change.option;
    if (m_trials.contains(changed) || !isPossible(m_program, changed)) return;
    m_best = std::move(changed);
    m_highest = above;
  }

  // The least noise of the front's members that take no more bytes.
  double noiseAt(double bytes) const {
    const auto beyond = std::ranges::upper_bound(m_steps, bytes, {}, &Step::first);
    return beyond == m_steps.begin() ? kSpoiltNoise : std::prev(beyond)->second;
  }

  using Step = std::pair<double, double>;  // bytes, and the least noise up to there

  const Trials& m_trials;
  const SearchSpace& m_space;
  const AddedNoise& m_alone;
  const IntegerProgram& m_program;
  std::vector<Step> m_steps;
  std::optional<LayerOptions> m_best;
  double m_highest = 1;  // times less noise than the front has
};

}  // namespace

std::vector<Trials::const_iterator> measuredFront(const Trials& trials) {
  std::vector<Trials::const_iterator> all;
  for (auto each = trials.begin(); each != trials.end(); ++each) all.push_back(each);
  const auto sqnr = [](Trials::const_iterator each) {
    return each->second->point.sqnrDb.value_or(0);
  };
  std::ranges::stable_sort(all, [&](Trials::const_iterator one, Trials::const_iterator other) {
    const double bytes = one->second->point.bytes;
    if (bytes != other->second->point.bytes) return bytes < other->second->point.bytes;
    return sqnr(one) > sqnr(other);
  });
  std::vector<Trials::const_iterator> front;
  for (const Trials::const_iterator& each : all) {
    if (front.empty() || sqnr(each) > sqnr(front.back())) front.push_back(each);
  }
  return front;
}

std::optional<LayerOptions> besideFront(const Trials& trials, const SearchSpace& space,
                                        const AddedNoise& alone, const IntegerProgram& program) {
  return BesideFront(trials, space, alone, program).find();
}

}  // namespace quantscope

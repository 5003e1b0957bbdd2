#include "search/measured/measured_front.h"

#include <algorithm>
#include <array>
#include <span>

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

std::vector<OptionChange> changesOf(const Trials::value_type& member, const SearchSpace& space,
                                    const AddedNoise& alone) {
  std::vector<OptionChange> changes;
  const Noise noise = noiseOf(*member.second);
  const std::size_t outputs = noise.size();
  const auto worst = static_cast<std::size_t>(std::ranges::max_element(noise) - noise.begin());
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    const std::vector<LayerOption>& options = space.layers[i].options;
    const std::size_t now = member.first[i];
    const auto noiseAlone = [&](std::size_t option, std::size_t output) {
      return output < alone[i][option].size() ? alone[i][option][output] : 0;
    };
    for (std::size_t option = 0; option < options.size(); ++option) {
      if (option == now) continue;
      OptionChange change{i, option, options[option].bytes - options[now].bytes, {}, 0};
      for (std::size_t output = 0; output < outputs; ++output) {
        change.noise.push_back(noiseAlone(option, output) - noiseAlone(now, output));
      }
      if (outputs > 0) change.worstNoise = change.noise[worst];
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

// The least noise of the front's members that take no more bytes.
double noiseAt(const std::vector<Trials::const_iterator>& front, double bytes) {
  double least = kSpoiltNoise;
  for (const Trials::const_iterator& member : front) {
    if (member->second->point.bytes > bytes) break;
    least = std::min(least, worstNoise(member->second->used));
  }
  return least;
}

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
  const std::vector<Trials::const_iterator> front = measuredFront(trials);
  std::optional<LayerOptions> best;
  double highest = 1;  // times less noise than the front has
  const auto consider = [&](const Trials::const_iterator& member,
                            std::span<const OptionChange> changes) {
    LayerOptions changed = member->first;
    Noise after = noiseOf(*member->second);
    double bytes = member->second->point.bytes;
    for (const OptionChange& change : changes) {
      changed[change.layer] = change.option;
      bytes += change.bytes;
      for (std::size_t i = 0; i < after.size(); ++i) after[i] += change.noise[i];
    }
    const double above = noiseAt(front, bytes) / worstAfter(noiseOf(*member->second), after);
    if (above <= highest || trials.contains(changed) || !isPossible(program, changed)) return;
    best = std::move(changed);
    highest = above;
  };
  for (const Trials::const_iterator& member : front) {
    const std::vector<OptionChange> changes = changesOf(*member, space, alone);
    for (const OptionChange& change : changes) consider(member, {&change, 1});
    const std::vector<OptionChange> quieter = leading(changes, &OptionChange::worstNoise);
    const std::vector<OptionChange> smaller = leading(changes, &OptionChange::bytes);
    for (const OptionChange& one : quieter) {
      for (const OptionChange& other : smaller) {
        if (one.layer != other.layer) consider(member, std::array{one, other});
      }
    }
  }
  return best;
}

}  // namespace quantscope

#include "analysis/sensitivity/sensitivity_sweep.h"

#include <algorithm>

#include "base/seconds_since.h"

namespace quantscope {
namespace {

// As many as the time is enough for, by that of the last ones.
std::size_t nextCount(const ItemsAtOnce& atOnce, double secondsEach) {
  const double enough = atOnce.seconds / std::max(secondsEach, 1e-9);
  if (enough >= static_cast<double>(atOnce.most)) return atOnce.most;
  return std::max<std::size_t>(1, static_cast<std::size_t>(enough));
}

}  // namespace

void sweepSensitivity(Sensitivity& sensitivity, std::span<const std::size_t> places,
                      const ItemsAtOnce& atOnce, const SensitivityRowSink& measured) {
  const std::size_t all = places.size();
  std::size_t wanted = atOnce.first;
  while (!places.empty()) {
    const std::size_t count = std::min(wanted, places.size());
    const std::size_t done = all - places.size();
    const std::string stage = "Layers " + std::to_string(done + 1) + " to " +
                              std::to_string(done + count) + " of " + std::to_string(all);
    const auto start = std::chrono::steady_clock::now();
    measured(sensitivity.run(places.first(count), stage));
    wanted = nextCount(atOnce, secondsSince(start) / static_cast<double>(count));
    places = places.subspan(count);
  }
}

}  // namespace quantscope

#include "analysis/sensitivity_sweep.h"

#include <algorithm>
#include <span>

namespace quantscope {

void sweepSensitivity(Sensitivity& sensitivity, SampleSet& samples,
                      const std::vector<std::size_t>& items, std::size_t atOnce,
                      const SensitivitySweepSink& sink) {
  const EarlyRanking ranking = rankEarly(sensitivity, samples, items);
  if (sink.ranked) sink.ranked(ranking);
  const std::vector<std::size_t>& places = ranking.places;
  for (std::size_t first = 0; first < places.size(); first += atOnce) {
    const std::size_t count = std::min(atOnce, places.size() - first);
    const std::string stage = "Layers " + std::to_string(first + 1) + " to " +
                              std::to_string(first + count) + " of " +
                              std::to_string(places.size());
    const std::vector<SensitivityRow> rows =
        sensitivity.run(std::span(places).subspan(first, count), stage);
    if (sink.measured) sink.measured(rows);
  }
}

}  // namespace quantscope

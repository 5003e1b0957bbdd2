#include "analysis/sensitivity/sensitivity_sweep.h"

#include <algorithm>

namespace quantscope {

void sweepSensitivity(Sensitivity& sensitivity, std::span<const std::size_t> places,
                      std::size_t atOnce, const SensitivityRowSink& measured) {
  for (std::size_t first = 0; first < places.size(); first += atOnce) {
    const std::size_t count = std::min(atOnce, places.size() - first);
    const std::string stage = "Layers " + std::to_string(first + 1) + " to " +
                              std::to_string(first + count) + " of " +
                              std::to_string(places.size());
    measured(sensitivity.run(places.subspan(first, count), stage));
  }
}

}  // namespace quantscope

#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "jobs/repair/fitting_gain.h"

namespace quantscope {

/// What repairs that act on faults of a result win, as far as it is known.
struct KnownFittingGains {
  SnapshotPtr of;
  std::vector<FittingGain> gains;

  /// Whatever detectors have found in it since.
  bool isAbout(const AnalysisSnapshot& snapshot) const {
    return of && of->model.engine == snapshot.model.engine && of->data == snapshot.data &&
           of->quantized == snapshot.quantized;
  }
  /// nullptr where it is not known.
  const FittingGain* find(const FittingRepair& repair) const {
    const auto found = std::ranges::find(gains, repair, &FittingGain::repair);
    return found == gains.end() ? nullptr : &*found;
  }
};

using KnownFittingGainsPtr = std::shared_ptr<const KnownFittingGains>;

}  // namespace quantscope

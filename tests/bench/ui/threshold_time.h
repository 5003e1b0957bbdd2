#pragma once

#include "app/gui/window/main_window.h"

namespace quantscope::bench {

/// How soon another threshold of the detectors shows.
struct ThresholdTimes {
  double median = 0;   ///< from the changed field to the panel painted with what is found now
  double longest = 0;  ///< ms
  double find = 0;     ///< of that, the detectors themselves: the median of running them alone
};

/// Waits for the result of the analysis that runs in `window`, its gains left out, and changes a
/// threshold back and forth.
ThresholdTimes measureThresholds(MainWindow& window);

}  // namespace quantscope::bench

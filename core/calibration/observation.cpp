#include "calibration/observation.h"

namespace quantscope {

const ModelReport* Observation::modelReport(int axis) const {
  const auto found =
      std::find_if(modelReports.begin(), modelReports.end(),
                   [axis](const ModelReport& report) { return report.axis == axis; });
  return found == modelReports.end() ? nullptr : &*found;
}

}  // namespace quantscope

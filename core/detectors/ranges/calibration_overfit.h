#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers whose output loses more on the analysed samples than on those that it was calibrated on.
/// Silent where both are the same data.
///
/// With step s, the error of rounding an output to its grid is s²/12, and that of clipping c the
/// mean squared distance to the grid's range: on the calibration data from their log-linear
/// histogram (bins of 1/32 of a power of two), on the analysed ones as measured. Statistic:
/// 10·log10((s²/12 + c_analysed) / (s²/12 + c_calibration)) in dB; threshold 3 dB, twice the error.
/// Critical from 10 dB on, else a warning. Static per-tensor integer outputs only; a grid that the
/// backend fixes is not calibrated.
std::vector<Finding> findCalibrationOverfit(const DetectorInput& input);

}  // namespace quantscope

#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Sums of products that may be larger than the accumulator of the backend, 2^(bits−1) − 1.
///
/// Output channel c adds up (q_w − z_w)·(q_x − z_x). With P and N the sums of its positive and of
/// its negative weight codes, and codes of the input from −a to b, the largest magnitude is max(P·b
/// + N·a, P·a + N·b): once for all codes of the input (worst case), once for those that the
/// observed range has. The reached sum follows from the range that calibration observed for the
/// sum, less its bias, in units of s_x·s_w. Biases out of range are another detector's.
///
/// Statistic: the largest of the three that says the most, as a number; threshold: the limit.
/// Critical where it was reached (confidence 1), a warning where the observed range allows it
/// (0.6), for information in the worst case alone (0.3). Convolutions and products with integer
/// weights and inputs, with scales per tensor or output channel; of a transposed convolution all
/// taps count as if they met.
std::vector<Finding> findAccumulatorOverflow(const DetectorInput& input);

}  // namespace quantscope

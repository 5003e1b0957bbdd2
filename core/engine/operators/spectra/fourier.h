#pragma once

#include <complex>
#include <vector>

namespace quantscope {

/// Σ x[n]·e^(∓2πi·n·k/N) for every k, of any length N ≥ 1: by N's prime factors, so that N with
/// small ones takes N·log N steps. `inverse` (the upper sign turned) is not divided by N.
std::vector<std::complex<double>> fourierSums(const std::vector<std::complex<double>>& x,
                                              bool inverse);

}  // namespace quantscope

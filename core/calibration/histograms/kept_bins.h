#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

/// The number of bins, from `levels` ≥ 1 to counts.size(), that are best kept. `beyond` numbers lie
/// behind the last bin. With i bins kept, P has all that lies beyond in its last bin; Q has the
/// kept counts merged into `levels` equal parts and spread again over those bins of each that are
/// not empty in P, an empty part counting for 1e-4 of a number; the least Σ P·log(P / Q) wins, of
/// equal ones the most bins. No fewer bins than hold half of the numbers. All bins where there are
/// fewer than levels, or more lies beyond than in them.
std::size_t bestKeptBins(std::span<const double> counts, double beyond, std::size_t levels);

}  // namespace quantscope

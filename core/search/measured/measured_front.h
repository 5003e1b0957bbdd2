#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "search/measured/integer_program.h"
#include "search/trial_runs.h"

namespace quantscope {

/// By layer of a search space: the option that it has.
using LayerOptions = std::vector<std::size_t>;
/// What was measured as a whole.
using Trials = std::map<LayerOptions, std::shared_ptr<const Trial>>;

/// Those that no other one beats in that cost and in the SQNR of the worst output, ascending.
std::vector<Trials::const_iterator> measuredFront(const Trials& trials, FrontCost cost);

/// One of the front with another option for one layer, or for two, of which one saves noise and the
/// other cost; not measured yet and allowed by `program`: that which lies the highest above the
/// front, in dB, if errors add up. Where none does, with `anyChange` that which lies the least
/// below it. None where nothing is left. `program`: with that cost, and the noise of each option
/// alone.
std::optional<LayerOptions> besideFront(const Trials& trials, FrontCost cost,
                                        const IntegerProgram& program, bool anyChange);

}  // namespace quantscope

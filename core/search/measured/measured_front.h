#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "search/measured/additive_errors.h"
#include "search/measured/search_space.h"
#include "search/trial_runs.h"

namespace quantscope {

/// By layer of a search space: the option that it has.
using LayerOptions = std::vector<std::size_t>;
/// What was measured as a whole.
using Trials = std::map<LayerOptions, std::shared_ptr<const Trial>>;

/// Those that no other one beats in bytes and in the SQNR of the worst output, ascending.
std::vector<Trials::const_iterator> measuredFront(const Trials& trials);

/// One of the front with another option for one layer, or for two, of which one saves noise and the
/// other bytes; not measured yet and allowed by `program`: that which lies the highest above the
/// front, in dB, if errors add up. None where no change does.
std::optional<LayerOptions> besideFront(const Trials& trials, const SearchSpace& space,
                                        const AddedNoise& alone, const IntegerProgram& program);

}  // namespace quantscope

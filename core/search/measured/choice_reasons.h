#pragma once

#include <vector>

#include "search/measured/additive_errors.h"
#include "search/measured/search_space.h"
#include "search/optimized_config.h"

namespace quantscope {

/// Why each layer has its option: what the outputs are where it alone is in that type, and in each
/// of the others, with their bytes and, by `costs` (may be null), their times and the conversions
/// that they need beside the other layers' options; and which layers must be of its type.
std::vector<ChoiceReason> choiceReasons(const SearchSpace& space, const AloneErrors& alone,
                                        const std::vector<std::size_t>& options,
                                        const CostTable* costs);

}  // namespace quantscope

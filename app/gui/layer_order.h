#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "widgets/view/display_options.h"
#include "widgets/view/layer_index.h"
#include "widgets/words/find_matches.h"

namespace quantscope {

/// Indices of the layers that have a figure, worst first by the chosen metric and kind of error; at
/// most `most` of them.
std::vector<std::size_t> worstFirst(const AnalysisResult& result, const DisplayOptions& options,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());

/// The match after `last`, the previous one, or else after the selected layer; the search continues
/// at the start after the end. nullopt if there are no matches.
std::optional<SearchMatch> matchAfter(const std::vector<SearchMatch>& matches,
                                      const SearchMatch& last, const LayerIndex& layers,
                                      bool forward);

}  // namespace quantscope

#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "widgets/view/display_options.h"

namespace quantscope {

/// Indices of the layers that have a figure, worst first by the chosen metric and kind of error.
std::vector<std::size_t> worstFirst(const AnalysisResult& result, const DisplayOptions& options);

/// The next layer after `from` (none = from the beginning), around the end, whose name, operators
/// or scope hold `words`, whatever their case.
std::optional<std::size_t> findLayer(const AnalysisResult& result, const QString& words,
                                     std::optional<std::size_t> from, bool forward);

}  // namespace quantscope

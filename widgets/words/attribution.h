#pragma once

#include <QString>
#include <optional>

#include "graph/graph.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// Where the error of a layer's output comes from.
enum class Attribution {
  Local,      ///< the layer makes most of it by itself
  Inherited,  ///< it comes in with the inputs
  Amplified,  ///< the inputs carry less: the layer makes small errors large
};

struct AttributedError {
  Attribution kind = Attribution::Local;
  std::optional<double> localDb;  ///< SQNR of the layer's own error
  std::optional<double> inputDb;  ///< of its worst input; none where no layer makes one
  double outputDb = 0;            ///< of its output
};

/// Nothing where the accumulated error is not known, or 1 % and below.
///
/// With noise n = 10^(−SQNR / 10): Local where the own noise is at least half of the output's;
/// else Amplified where the output's is more than twice that of the worst input and the own
/// together; else Inherited.
std::optional<AttributedError> attribute(const Graph& graph, const AnalysisResult& result,
                                         const LayerIndex& layers, std::size_t layer);

/// "inherited", and a sentence that explains it with its figures.
QString attributionTitle(Attribution kind);
QString attributionSentence(const AttributedError& error);

}  // namespace quantscope

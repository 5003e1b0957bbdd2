#pragma once

#include <optional>

#include "graph/graph.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The opset of a model's QDQ form; see buildQdqModel(), whose errors it throws.
int chooseQdqOpset(const Graph& graph, const QuantizedModel& model, std::optional<int> asked);

}  // namespace quantscope

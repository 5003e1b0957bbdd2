#pragma once

#include <set>
#include <string>

#include "detectors/detector.h"
#include "precision/edits/config_edit.h"
#include "precision/parameters/quantized_model.h"
#include "search/measured/search_space.h"

namespace quantscope {

/// The nodes of all layers that findings with an id in `aside` are about: those are left alone.
std::set<std::string> nodesAside(const Graph& graph, const QuantizedModel& model,
                                 const DetectorReport& report, const std::set<std::string>& aside);

/// True where an edit sets the precision or the factors of one of the nodes.
bool changesAny(const ConfigEdit& edit, const std::set<std::string>& nodes);

/// The edit without what it sets of the nodes.
ConfigEdit without(ConfigEdit edit, const std::set<std::string>& nodes);

/// The space with nothing to choose for layers that the nodes lead.
SearchSpace without(SearchSpace space, const std::set<std::string>& nodes);

}  // namespace quantscope

#pragma once

#include <string>
#include <vector>

#include "precision/layers/configured_layers.h"
#include "precision/parameters/resolved_encodings.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// One sentence for each layer with encodings whose scales lie as the backend does not run them,
/// such as blocks of a weight: they are simulated all the same.
std::vector<std::string> foreignEncodings(const ConfiguredLayers& configured,
                                          const ObserverGroups& groups,
                                          const ResolvedEncodings& encodings);

}  // namespace quantscope

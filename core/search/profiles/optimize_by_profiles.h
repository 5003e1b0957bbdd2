#pragma once

#include "engine/engine.h"
#include "search/optimized_config.h"
#include "search/profiles/profile_prior.h"

namespace quantscope {

/// A configuration by profiles alone, for the backend "generic"; needs no data. Every operator has
/// its reason. An entry goes to each layer that the backend quantizes; to a member of a fused
/// pattern only where its scheme is not that of the node that leads the pattern.
OptimizedConfig optimizeByProfiles(const Engine& engine, const ProfileTable& profiles,
                                   const Criteria& criteria, const Strategy& strategy);

}  // namespace quantscope

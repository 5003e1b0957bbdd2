#pragma once

#include "precision/sharing/hand_sharing.h"

namespace quantscope {

/// True where an entry of `join` names the point.
bool isJoined(const HandSharing& sharing, const PointName& point);
bool isParted(const HandSharing& sharing, const PointName& point);

/// With the two in one list of `join`, together with all that either was joined with. Points of one
/// producer that were parted share by themselves again instead.
HandSharing joined(HandSharing sharing, const PointName& a, const PointName& b);

/// Without the point in `join`; lists that are left with one point go.
HandSharing withoutJoining(HandSharing sharing, const PointName& point);

/// With the point in `part`.
HandSharing parted(HandSharing sharing, const PointName& point);
HandSharing withoutParting(HandSharing sharing, const PointName& point);

}  // namespace quantscope

#pragma once

#include <vector>

#include "precision/edits/config_edit.h"

namespace quantscope {

/// True where an entry of `part` names it.
bool isSplit(const HandSharing& groups, const PointName& point);

/// The two in one list of `join`, together with all that either was merged with. Points of one
/// producer that were split off share by themselves again instead.
ConfigEdit mergePoints(const HandSharing& groups, const PointName& a, const PointName& b);

/// None of the points in `join` any more; lists that are left with one point go.
ConfigEdit leaveMerge(const HandSharing& groups, const std::vector<PointName>& points);

/// A point out of its group: none of its names in `join` any more, and where it shares by itself
/// the first of them in `part`.
ConfigEdit splitPoint(const HandSharing& groups, const std::vector<PointName>& names,
                      bool sharesByItself);

/// None of the points in `part` any more.
ConfigEdit leaveSplit(const HandSharing& groups, const std::vector<PointName>& points);

}  // namespace quantscope

#pragma once

#include <QFont>
#include <vector>

#include "widgets/copy/picture_actions.h"
#include "widgets/ranges/range_delegate.h"

namespace quantscope {

/// The chart of the given rows of `model`, from top to bottom, whatever part of it is on screen.
/// Model and delegate must live until it is painted.
ViewPicture rangePicture(const RangesModel& model, const RangeDelegate& delegate,
                         std::vector<int> rows, const QFont& font, const Theme& theme);

}  // namespace quantscope

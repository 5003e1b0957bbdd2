#pragma once

#include <QString>

#include "repair/recipe.h"

namespace quantscope {

/// What a repair has come to, in sentences: "Worst output: 21.30 → 29.84 dB on all samples, …".
QString repairHeading(const RepairResult& result);

}  // namespace quantscope

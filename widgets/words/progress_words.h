#pragma once

#include <QString>
#include <chrono>

#include "base/job_context.h"

namespace quantscope {

/// "8 s left", "3 min left"; empty where there is nothing to estimate from.
QString remainingText(std::chrono::duration<double> remaining);
/// "Layers 1 to 16 of 28: 3 of 12, 8 s left".
QString progressWords(const Progress& progress);

}  // namespace quantscope

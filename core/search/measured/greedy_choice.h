#pragma once

#include <optional>

#include "search/measured/integer_program.h"

namespace quantscope {

/// Begins with the cheapest choices and takes, while the budget lasts, the change that saves most
/// noise for its cost; units that stand on one grid or are alike change as one. A bound and a start
/// for leastNoise(); none where even the cheapest choices cost more or do not fit together.
std::optional<ProgramSolution> greedyChoice(const IntegerProgram& program, double budget);

}  // namespace quantscope

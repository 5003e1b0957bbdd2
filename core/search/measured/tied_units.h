#pragma once

#include <cstddef>
#include <vector>

#include "search/measured/integer_program.h"

namespace quantscope {

/// The units of a program in sets that change together, each unit in one of them: those that stand
/// on one grid or are decided as one, directly or by others between them. By their first units.
std::vector<std::vector<std::size_t>> tiedUnits(const IntegerProgram& program);

}  // namespace quantscope

#pragma once

#include <QString>

#include "graph/graph.h"

namespace quantscope {

/// An attribute's value in one line: "[3, 3]", "SAME_UPPER", "float32 [1000]". Only the first
/// `most` entries of a long list.
QString attributeText(const Attribute& attribute, std::size_t most);

/// "[1, 16, 8, 8] float32", "?" where nothing is known.
QString typeText(const ValueType& type);

}  // namespace quantscope

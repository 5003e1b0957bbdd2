#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"
#include "support/text_cursor.h"

namespace quantscope::test {

/// Characters that end a word, besides white space.
inline constexpr std::string_view kWordEnds = ",()[]{}=:\"@";

/// "float[1,3,?,width]": any element type by ONNX's name ("float" = float32, "double" = float64);
/// no brackets = unknown shape, "[]" = scalar.
ValueType parseType(TextCursor& text);

/// "float[2]{1, -2}": a type with known extents, then the elements ("inf" and "nan" too).
/// Without braces the elements are made up from `seedName`: multiples of 1/64 in [−1, 1) for
/// floats, −8 … 7 for signed and 0 … 15 for unsigned integers, always the same ones.
Tensor parseTensor(TextCursor& text, const std::string& seedName);

/// 1 · 1.5 · "text" · [1, 2] · [1.0, 2] · ["a", "b"] · int64[2]{1, 2}
Attribute::Data parseAttributeData(TextCursor& text);

}  // namespace quantscope::test

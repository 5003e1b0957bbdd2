#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace quantscope {

/// Numbers as people write them: "0.485, 0.456 0.406", "1/255". None where a part is no finite
/// number; an empty text is no numbers.
std::optional<std::vector<double>> parseNumbers(const QString& text);

/// The text that parseNumbers() reads back as the same; a long fraction that is the reciprocal of a
/// short number as "1/255".
QString numbersText(const std::vector<double>& numbers);

}  // namespace quantscope

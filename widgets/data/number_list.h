#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace quantscope {

/// Numbers as people write them: "0.485, 0.456 0.406", "1/255". None where a part is no finite
/// number; an empty text is no numbers.
std::optional<std::vector<double>> parseNumbers(const QString& text);

/// What parseNumbers() reads back as the same; long fractions that are a reciprocal of
/// something shorter as "1/255".
QString numbersText(const std::vector<double>& numbers);

}  // namespace quantscope

#pragma once

#include <optional>

#include "widgets/inspector/parts/cell_model.h"

namespace quantscope {

/// "+3.2": A less B. "–" where one of them is not known.
Cell changeCell(const std::optional<double>& a, const std::optional<double>& b,
                const QString& unit = {});
/// The same in words behind a figure: " (+3.2)"; empty where one is not known or nothing changes.
QString changeWords(const std::optional<double>& a, const std::optional<double>& b);

/// A column of changes behind a column of figures: only where the subject is compared with B.
/// `figure`: the header of the figures.
void addChangeHeader(CellTableContent& table, const QString& figure);
/// The same change, so that it does not draw the eye from the figure.
Cell mutedChange(const std::optional<double>& a, const std::optional<double>& b,
                 const QString& unit = {});

}  // namespace quantscope

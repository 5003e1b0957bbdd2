#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "search/widening.h"

namespace quantscope {

/// `baseline`: the outputs of what the row differs from.
nlohmann::ordered_json sensitivityRowJson(const SensitivityRow& row,
                                          const std::vector<OutputResult>& baseline);
nlohmann::ordered_json baselineJson(const std::vector<OutputResult>& outputs);

/// The outputs' SQNR, agreement and accuracy, read from the JSON of a row or a baseline.
std::vector<OutputResult> outputsOfJson(const nlohmann::ordered_json& rowOrBaseline);

/// Says anew of a row from a file whether it is sensitive.
void judgeRow(nlohmann::ordered_json& row, const std::vector<OutputResult>& baseline);

/// The row's layers, type and outputs, read from its JSON.
SensitivityRow rankedRowOf(const nlohmann::ordered_json& row);
/// A curve of widening; `order`: the names of the layers, the first ones first.
nlohmann::ordered_json wideningJson(QuantType type, nlohmann::ordered_json order,
                                    const WideningCurve& curve);

/// Rows in the order of results: the lowest SQNR of the first output first, those without one last;
/// then by node and type.
void sortSensitivityRows(nlohmann::ordered_json& rows);

}  // namespace quantscope

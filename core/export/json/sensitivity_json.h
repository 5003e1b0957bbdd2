#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "search/widening.h"

namespace quantscope {

nlohmann::ordered_json sensitivityRowJson(const SensitivityRow& row);
nlohmann::ordered_json baselineJson(const std::vector<OutputResult>& outputs);

/// The row's layer, type and outputs' SQNR, read from its JSON.
SensitivityRow rankedRowOf(const nlohmann::ordered_json& row);
/// A curve of widening; `order`: the names of the layers, the first ones first.
nlohmann::ordered_json wideningJson(QuantType type, nlohmann::ordered_json order,
                                    const WideningCurve& curve);

/// Rows in the order of results: the lowest SQNR of the first output first, those without one last;
/// then by node and type.
void sortSensitivityRows(nlohmann::ordered_json& rows);

}  // namespace quantscope

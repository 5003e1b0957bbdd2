#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/sensitivity.h"

namespace quantscope {

nlohmann::ordered_json sensitivityRowJson(const SensitivityRow& row);
nlohmann::ordered_json baselineJson(const std::vector<OutputResult>& outputs);

/// Rows in the order of results: the lowest SQNR of the first output first, those without one last;
/// then by node and type.
void sortSensitivityRows(nlohmann::ordered_json& rows);

}  // namespace quantscope

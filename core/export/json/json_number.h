#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace quantscope {

/// A number in reports: infinities are the strings "Infinity" and "-Infinity", NaN and missing
/// values are null.
nlohmann::ordered_json jsonNumber(double value);
nlohmann::ordered_json jsonNumber(const std::optional<double>& value);

}  // namespace quantscope

#include "export/json/json_number.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace quantscope {

nlohmann::ordered_json jsonNumber(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

nlohmann::ordered_json jsonNumber(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : nlohmann::ordered_json();
}

}  // namespace quantscope

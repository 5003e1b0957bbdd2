#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "quant/quant_type.h"

namespace quantscope {

/// Time of something for one sample.
struct MeasuredTime {
  double microseconds = 0;
  bool estimated = false;  ///< by what it reads and writes: there is no kernel to measure

  friend bool operator==(const MeasuredTime&, const MeasuredTime&) = default;
};

/// Time to round a value to codes, and to turn codes back into floats.
struct ConversionTime {
  double quantize = 0;  ///< microseconds
  double dequantize = 0;

  friend bool operator==(const ConversionTime&, const ConversionTime&) = default;
};

/// The times of layers in each type on some machine, and of conversions between types. Integers are
/// named by their signed type.
struct CostTable {
  std::string device;   ///< in words
  std::string backend;  ///< that it is for; may be empty
  std::map<std::string, std::map<QuantType, MeasuredTime>> layers;  ///< by the node that leads it
  std::map<std::string, ConversionTime> conversions;                ///< by value

  friend bool operator==(const CostTable&, const CostTable&) = default;
};

/// {"quantscope_cost": 1, "device", "backend", "layers": {NODE: {TYPE: {"us", "estimated"}}},
/// "conversions": {VALUE: {"quantize_us", "dequantize_us"}}}.
nlohmann::ordered_json toJson(const CostTable& table);

/// The same read. Strict: mistakes are Error(InvalidConfiguration) with the path of the key.
/// `source` names the text in messages.
CostTable parseCostTable(std::string_view json, const std::string& source);
/// Throws Error(Io) too.
CostTable readCostTable(const std::filesystem::path& file);

}  // namespace quantscope

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "precision/config/point_name.h"
#include "quant/quant_type.h"

namespace quantscope {

/// Exact parameters of one tensor: real = (code − zero point) · scale. One scale for the whole
/// tensor; with `axis` one per index of it; with `blockSize` > 0 one per that many consecutive
/// elements along `axis` and per index of all other axes, row-major.
struct Encoding {
  QuantType type = QuantType::Int8;      ///< one that has a scale
  std::vector<float> scales;             ///< at least one; normal numbers > 0
  std::vector<std::int32_t> zeroPoints;  ///< as many; each is a code of the type
  std::optional<int> axis = {};          ///< negative ones count from the last
  int blockSize = 0;

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

/// The parameters of points and weights that are set exactly; "encodings" in a configuration. They
/// beat observers and ranges. A name without a consumer is the output of the node of that name,
/// else the graph input or the initializer, which may be a weight.
struct Encodings {
  std::vector<std::pair<PointName, Encoding>> entries;  ///< no name twice

  /// nullptr where there is none.
  const Encoding* find(const PointName& point) const;
  bool empty() const { return entries.empty(); }
  friend bool operator==(const Encodings&, const Encodings&) = default;
};

/// {POINT: {"type", "scale": […], "zero_point": […], "axis", "block_size"}}; without "zero_point"
/// it is that of symmetric codes. Strict: mistakes are Error(InvalidConfiguration) with the path of
/// the key.
Encodings readEncodings(const JsonReader& reader);
Encoding readEncoding(const JsonReader& reader);
nlohmann::ordered_json toJson(const Encodings& encodings);
nlohmann::ordered_json toJson(const Encoding& encoding);

/// The zero point of symmetric codes: 0; for unsigned integers the middle code.
std::int32_t symmetricZeroPoint(QuantType type);

/// POINT as a key: the name itself for an output or an initializer, ["PRODUCER","CONSUMER"] as JSON
/// text for an edge. A name of an output that would read as an edge is written as ["NAME"].
std::string pointKey(const PointName& point);
/// The reverse. An edge may be written without the quotes, [PRODUCER,CONSUMER].
PointName pointFromKey(const std::string& key, const JsonReader& entry);

/// "int8 scale 0.5 zero point 0", "int8 64 scales along axis 0", "int4 96 scales in blocks of 32
/// along axis 1".
std::string words(const Encoding& encoding);

/// "encodings.conv1", for messages.
std::string encodingPath(const PointName& point);

}  // namespace quantscope

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace quantscope {

class JsonReader;

/// Changes to a model before quantization that keep its float results; "repairs" in a
/// configuration.
struct Repairs {
  /// By node: factors per input channel. The layer's input comes multiplied by them, and the
  /// weights that meet it are divided by them. No node twice; normal numbers > 0.
  std::vector<std::pair<std::string, std::vector<float>>> equalize;

  bool empty() const { return equalize.empty(); }
  friend bool operator==(const Repairs&, const Repairs&) = default;
};

/// {"equalize": {NODE: [factor per input channel]}}. Strict: mistakes are
/// Error(InvalidConfiguration) with the path of the key.
Repairs readRepairs(const JsonReader& reader);
std::vector<float> readFactors(const JsonReader& reader);
nlohmann::ordered_json toJson(const Repairs& repairs);

/// "repairs.equalize.conv1", for messages.
std::string equalizePath(const std::string& node);

}  // namespace quantscope

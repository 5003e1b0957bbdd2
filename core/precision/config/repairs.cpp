#include "precision/config/repairs.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "precision/config/json_reader.h"

namespace quantscope {

using Json = nlohmann::ordered_json;

std::vector<float> readFactors(const JsonReader& reader) {
  std::vector<float> factors;
  for (const JsonReader& entry : reader.elements()) {
    factors.push_back(entry.real());
    if (!std::isnormal(factors.back()) || factors.back() < 0) {
      entry.fail("is no factor", "write a number above 1.2e-38; 1 leaves a channel as it is");
    }
  }
  if (factors.empty()) reader.fail("is empty", "write a factor for each input channel");
  return factors;
}

Repairs readRepairs(const JsonReader& reader) {
  reader.requireKeys({"equalize"});
  Repairs repairs;
  if (!reader.has("equalize")) return repairs;
  for (const auto& [node, factors] : reader["equalize"].entries()) {
    repairs.equalize.emplace_back(node, readFactors(factors));
  }
  return repairs;
}

Json toJson(const Repairs& repairs) {
  Json json = Json::object();
  for (const auto& [node, factors] : repairs.equalize) json["equalize"][node] = factors;
  return json;
}

std::string equalizePath(const std::string& node) {
  return "repairs.equalize." + node;
}

}  // namespace quantscope

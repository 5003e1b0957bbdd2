#include "training/values_json.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace quantscope {

using Json = nlohmann::json;

Json valuesJson(const LearnedParameters::Values& values) {
  Json list = Json::array();
  for (const std::vector<float>& array : values) {
    std::vector<std::uint8_t> bytes(array.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), array.data(), bytes.size());
    list.push_back(Json::binary(std::move(bytes)));
  }
  return list;
}

LearnedParameters::Values readValues(const Json& list) {
  LearnedParameters::Values values;
  for (const Json& each : list) {
    const std::vector<std::uint8_t>& bytes = each.get_binary();
    std::vector<float>& array = values.emplace_back(bytes.size() / sizeof(float));
    if (!array.empty()) std::memcpy(array.data(), bytes.data(), array.size() * sizeof(float));
  }
  return values;
}

TrainingEnd trainingEnd(int number) {
  const bool known = number >= 0 && number <= static_cast<int>(TrainingEnd::Diverged);
  return known ? static_cast<TrainingEnd>(number) : TrainingEnd::Diverged;
}

}  // namespace quantscope

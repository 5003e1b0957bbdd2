#include "training/trained_state.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "training/values_json.h"

namespace quantscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kStateFormat = "quantscope trained state 1";

}  // namespace

std::string toBytes(const TrainedState& state) {
  std::string bytes;
  Json::to_cbor(Json{{"format", kStateFormat},
                     {"training", toString(state.training)},
                     {"values", valuesJson(state.values)},
                     {"steps", state.steps},
                     {"start_loss", state.startLoss},
                     {"end", static_cast<int>(state.end)}},
                bytes);
  return bytes;
}

TrainedState trainedStateFrom(const std::string& bytes, const std::string& source) {
  try {
    const Json json = Json::from_cbor(bytes);
    if (json.at("format") == kStateFormat) {
      return {
          .training = parseContentId(json.at("training").get<std::string>()).value_or(ContentId()),
          .values = readValues(json.at("values")),
          .steps = json.at("steps"),
          .startLoss = json.at("start_loss"),
          .end = trainingEnd(json.at("end"))};
    }
  } catch (const Json::exception&) {
  }
  throw Error(ErrorCode::InvalidData, "what was trained is damaged",
              {.file = source, .node = {}, .value = {}}, "train again");
}

}  // namespace quantscope

#include "training/checkpoint.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "training/values_json.h"

namespace quantscope {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "quantscope training checkpoint 1";

Json toJson(const std::vector<TrainingPoint>& curve) {
  Json list = Json::array();
  for (const TrainingPoint& point : curve) {
    list.push_back({point.phase, point.step, point.loss, point.heldBack});
  }
  return list;
}

std::vector<TrainingPoint> readCurve(const Json& list) {
  std::vector<TrainingPoint> curve;
  for (const Json& each : list) {
    curve.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  }
  return curve;
}

TrainingCheckpoint fromJson(const Json& json) {
  TrainingCheckpoint checkpoint;
  checkpoint.training =
      parseContentId(json.at("training").get<std::string>()).value_or(ContentId());
  checkpoint.phase = json.at("phase");
  checkpoint.step = json.at("step");
  checkpoint.sinceBest = json.at("since_best");
  checkpoint.begun = json.at("begun");
  checkpoint.startLoss = json.at("start_loss");
  checkpoint.firstLoss = json.at("first_loss");
  checkpoint.bestLoss = json.at("best_loss");
  checkpoint.lossSum = json.at("loss_sum");
  checkpoint.lossCount = json.at("loss_count");
  checkpoint.totalSteps = json.at("total_steps");
  checkpoint.end = trainingEnd(json.at("end"));
  checkpoint.seconds = json.at("seconds");
  checkpoint.values = readValues(json.at("values"));
  checkpoint.first = readValues(json.at("first"));
  checkpoint.second = readValues(json.at("second"));
  checkpoint.best = readValues(json.at("best"));
  checkpoint.average = readValues(json.at("average"));
  checkpoint.curve = readCurve(json.at("curve"));
  checkpoint.notes = json.at("notes").get<std::vector<std::string>>();
  return checkpoint;
}

// Of a store without a name: there is none.
std::nullopt_t refuse(const CheckpointStore& store, const std::string& what) {
  if (store.name().empty()) return std::nullopt;
  throw Error(ErrorCode::InvalidData, "'" + store.name() + "' " + what, {},
              "name another file, or remove it to start anew");
}

}  // namespace

void writeCheckpoint(const TrainingCheckpoint& checkpoint, CheckpointStore& store) {
  const Json json{{"format", kFormat},
                  {"training", toString(checkpoint.training)},
                  {"phase", checkpoint.phase},
                  {"step", checkpoint.step},
                  {"since_best", checkpoint.sinceBest},
                  {"begun", checkpoint.begun},
                  {"start_loss", checkpoint.startLoss},
                  {"first_loss", checkpoint.firstLoss},
                  {"best_loss", checkpoint.bestLoss},
                  {"loss_sum", checkpoint.lossSum},
                  {"loss_count", checkpoint.lossCount},
                  {"total_steps", checkpoint.totalSteps},
                  {"end", static_cast<int>(checkpoint.end)},
                  {"seconds", checkpoint.seconds},
                  {"values", valuesJson(checkpoint.values)},
                  {"first", valuesJson(checkpoint.first)},
                  {"second", valuesJson(checkpoint.second)},
                  {"best", valuesJson(checkpoint.best)},
                  {"average", valuesJson(checkpoint.average)},
                  {"curve", toJson(checkpoint.curve)},
                  {"notes", checkpoint.notes}};
  std::string bytes;
  Json::to_cbor(json, bytes);
  store.write(bytes);
}

std::optional<TrainingCheckpoint> readCheckpoint(const CheckpointStore& store, ContentId training) {
  const std::optional<std::string> bytes = store.read();
  if (!bytes) return std::nullopt;
  std::optional<TrainingCheckpoint> checkpoint;
  try {
    const Json json = Json::from_cbor(*bytes);
    if (json.at("format") == kFormat) checkpoint = fromJson(json);
  } catch (const Json::exception&) {
    return refuse(store, "is no checkpoint of a training, or is damaged");
  }
  if (!checkpoint) return refuse(store, "is no checkpoint of a training");
  if (checkpoint->training == training) return checkpoint;
  return refuse(store,
                "is of another training: network, configuration, samples or settings differ");
}

}  // namespace quantscope

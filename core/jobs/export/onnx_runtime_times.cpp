#include "jobs/export/onnx_runtime_times.h"

#include "jobs/export/onnx_runtime.h"
#include "resources/onnxruntime_times_js.h"

namespace quantscope {
namespace {

// Time limits of the rounds, and of everything: loading a large model takes long.
constexpr double kSeconds = 1.5;
constexpr std::chrono::seconds kLimit{120};

nlohmann::json inputsOf(const TimedModel& timed, const std::string& prefix,
                        const TemporaryFolder& folder) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const auto& [value, tensor] : timed.feed.inputs) {
    inputs.push_back(handOver((*timed.model.graph)[value].name, tensor,
                              folder / (prefix + std::to_string(inputs.size()))));
  }
  return inputs;
}

}  // namespace

OnnxRuntimeTimes timeWithOnnxRuntime(const std::vector<TimedModel>& models,
                                     const std::optional<std::filesystem::path>& folder,
                                     JobContext& job) {
  job.beginStage("Timing with ONNX Runtime", 0);
  const TemporaryFolder temporary;
  nlohmann::json request{{"seconds", kSeconds}, {"models", nlohmann::json::array()}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    request["models"].push_back(
        {{"file", std::filesystem::absolute(models[i].model.file).string()},
         {"inputs", inputsOf(models[i], std::to_string(i) + "_", temporary)}});
  }
  const OnnxRuntimeAnswer answer =
      askOnnxRuntime(resources::onnxruntime_times_js(), request, folder, temporary, kLimit, job);
  OnnxRuntimeTimes times;
  times.problem = answer.problem;
  if (!times.problem.empty()) return times;
  const nlohmann::json ms = answer.json.value("ms", nlohmann::json::array());
  if (!ms.is_array() || ms.size() != models.size()) {
    times.problem = "ONNX Runtime gives no times";
    return times;
  }
  times.version = answer.json.value("version", "");
  for (std::size_t i = 0; i < models.size(); ++i) {
    times.ms.push_back(ms[i].get<double>() / static_cast<double>(models[i].feed.batch));
  }
  return times;
}

}  // namespace quantscope

#include "jobs/onnx_runtime_times.h"

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/file_error.h"
#include "base/run_program.h"
#include "resources/onnxruntime_times_js.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

// Time limits of the rounds, and of everything: loading a large model takes long.
constexpr double kSeconds = 1.5;
constexpr std::chrono::seconds kLimit{120};

/// A temporary folder that is removed with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "quantscope-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw fileError(FileAction::Write, name, errno);
    m_path = name;
  }
  ~TemporaryFolder() {
    std::error_code failure;
    fs::remove_all(m_path, failure);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const std::string& name) const { return m_path / name; }

 private:
  fs::path m_path;
};

nlohmann::json inputsOf(const TimedModel& timed, const std::string& prefix,
                        const TemporaryFolder& folder) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const auto& [value, tensor] : timed.feed.inputs) {
    const Tensor plain = toLayout(tensor, Layout::Plain);
    const fs::path file = folder / (prefix + std::to_string(inputs.size()));
    writeFileAtomically(file, {reinterpret_cast<const char*>(plain.bytes()), plain.byteSize()});
    const auto extents = plain.shape().dimensions();
    inputs.push_back({{"name", (*timed.model.graph)[value].name},
                      {"type", name(plain.type())},
                      {"dims", std::vector<std::int64_t>(extents.begin(), extents.end())},
                      {"file", file.string()}});
  }
  return inputs;
}

std::string modulesIn(const std::optional<fs::path>& folder) {
  const char* const peers = std::getenv("QUANTSCOPE_PEERS");
  if (folder) return (*folder / "node_modules").string();
  return peers == nullptr ? "" : (fs::path(peers) / "node_modules").string();
}

// The last line is the error; those before it are Node's.
std::string problemOf(const ProgramResult& result) {
  if (!result.started || result.status == 127) return "there is no Node to run ONNX Runtime with";
  if (result.errors.find("Cannot find module 'onnxruntime-node'") != std::string::npos) {
    return "there is no ONNX Runtime here";
  }
  if (result.status < 0) return "ONNX Runtime takes too long";
  const std::string& errors = result.errors;
  const std::size_t end = errors.find_last_not_of('\n');
  if (end == std::string::npos) return "ONNX Runtime fails without a word";
  const std::size_t begin = errors.find_last_of('\n', end);
  return "ONNX Runtime says: " +
         errors.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

void requireOnnxRuntime(const fs::path& folder) {
  std::error_code failure;
  if (fs::is_directory(folder / "node_modules" / "onnxruntime-node", failure)) return;
  throw Error(ErrorCode::Io, "there is no ONNX Runtime in the folder",
              {.file = folder.string(), .node = {}, .value = {}},
              "put it there with 'npm install --prefix FOLDER onnxruntime-node'");
}

OnnxRuntimeTimes timeWithOnnxRuntime(const std::vector<TimedModel>& models,
                                     const std::optional<fs::path>& folder, JobContext& job) {
  job.beginStage("Timing with ONNX Runtime", 0);
  const TemporaryFolder temporary;
  nlohmann::json request{{"seconds", kSeconds}, {"models", nlohmann::json::array()}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    request["models"].push_back(
        {{"file", fs::absolute(models[i].model.file).string()},
         {"inputs", inputsOf(models[i], std::to_string(i) + "_", temporary)}});
  }
  const fs::path script = temporary / "times.js";
  const fs::path asked = temporary / "request.json";
  writeFileAtomically(script, resources::onnxruntime_times_js());
  writeFileAtomically(asked,
                      request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::vector<std::pair<std::string, std::string>> variables;
  if (const std::string modules = modulesIn(folder); !modules.empty()) {
    variables.emplace_back("NODE_PATH", modules);
  }
  const ProgramResult result =
      runProgram({"node", script.string(), asked.string()}, variables, kLimit, job);
  OnnxRuntimeTimes times;
  const auto answer = nlohmann::json::parse(result.output, nullptr, false);
  const bool complete = result.status == 0 && answer.is_object() && answer.contains("ms") &&
                        answer["ms"].is_array() && answer["ms"].size() == models.size();
  if (!complete) {
    times.problem = problemOf(result);
    return times;
  }
  times.version = answer.value("version", "");
  for (std::size_t i = 0; i < models.size(); ++i) {
    times.ms.push_back(answer["ms"][i].get<double>() / static_cast<double>(models[i].feed.batch));
  }
  return times;
}

}  // namespace quantscope

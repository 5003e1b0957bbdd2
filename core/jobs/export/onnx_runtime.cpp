#include "jobs/export/onnx_runtime.h"

#include <cstdlib>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/run_program.h"
#include "resources/onnxruntime_tensors_js.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

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
  const std::size_t newline = errors.find_last_of('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return "ONNX Runtime says: " + errors.substr(begin, end - begin + 1);
}

}  // namespace

void requireOnnxRuntime(const fs::path& folder) {
  std::error_code failure;
  if (fs::is_directory(folder / "node_modules" / "onnxruntime-node", failure)) return;
  throw Error(ErrorCode::Io, "there is no ONNX Runtime in the folder",
              {.file = folder.string(), .node = {}, .value = {}},
              "put it there with 'npm install --prefix FOLDER onnxruntime-node'");
}

OnnxRuntimeAnswer askOnnxRuntime(std::string_view script, const nlohmann::json& request,
                                 const std::optional<fs::path>& modules,
                                 const TemporaryFolder& temporary, std::chrono::seconds limit,
                                 JobContext& job) {
  const fs::path program = temporary / "script.js";
  const fs::path asked = temporary / "request.json";
  writeFileAtomically(program, script);
  writeFileAtomically(temporary / "tensors.js", resources::onnxruntime_tensors_js());
  writeFileAtomically(asked,
                      request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::vector<std::pair<std::string, std::string>> variables;
  if (const std::string found = modulesIn(modules); !found.empty()) {
    variables.emplace_back("NODE_PATH", found);
  }
  const ProgramResult result =
      runProgram({"node", program.string(), asked.string()}, variables, limit, job);
  OnnxRuntimeAnswer answer{nlohmann::json::parse(result.output, nullptr, false), {}};
  if (result.status != 0 || !answer.json.is_object()) answer.problem = problemOf(result);
  return answer;
}

nlohmann::json handOver(const std::string& name, const Tensor& tensor, const fs::path& file) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  writeFileAtomically(file, {reinterpret_cast<const char*>(plain.bytes()), plain.byteSize()});
  const auto extents = plain.shape().dimensions();
  return {{"name", name},
          {"type", quantscope::name(plain.type())},
          {"dims", std::vector<std::int64_t>(extents.begin(), extents.end())},
          {"file", file.string()}};
}

}  // namespace quantscope

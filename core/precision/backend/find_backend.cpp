#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/backend/backend.h"
#include "resources/fbgemm_json.h"
#include "resources/generic_json.h"
#include "resources/onednn_json.h"
#include "resources/onnxruntime_json.h"
#include "resources/qnnpack_json.h"
#include "resources/tensorrt_json.h"
#include "resources/x86_json.h"

namespace quantscope {
namespace {

using Resource = std::string_view (*)();

const std::vector<std::pair<std::string, Resource>>& shipped() {
  static const std::vector<std::pair<std::string, Resource>> list{
      {"x86", resources::x86_json},           {"fbgemm", resources::fbgemm_json},
      {"qnnpack", resources::qnnpack_json},   {"onednn", resources::onednn_json},
      {"tensorrt", resources::tensorrt_json}, {"onnxruntime", resources::onnxruntime_json},
      {"generic", resources::generic_json},
  };
  return list;
}

std::map<std::string, std::shared_ptr<const Backend>> parseShipped() {
  std::map<std::string, std::shared_ptr<const Backend>> backends;
  for (const auto& [name, text] : shipped()) {
    backends[name] = std::make_shared<const Backend>(parseBackend(text(), name + ".json"));
  }
  return backends;
}

std::shared_ptr<const Backend> readBackend(const std::string& file) {
  return std::make_shared<const Backend>(parseBackend(readFile(file, kMostBackendBytes), file));
}

}  // namespace

const std::vector<std::string>& backendNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, text] : shipped()) list.push_back(name);
    return list;
  }();
  return names;
}

bool isBackendFile(std::string_view nameOrFile) {
  return std::ranges::find(backendNames(), nameOrFile) == backendNames().end() &&
         nameOrFile.find_first_of("./\\") != std::string_view::npos;
}

std::shared_ptr<const Backend> findBackend(const std::string& nameOrFile) {
  static const std::map<std::string, std::shared_ptr<const Backend>> backends = parseShipped();
  const auto known = backends.find(nameOrFile);
  if (known != backends.end()) return known->second;
  if (isBackendFile(nameOrFile)) return readBackend(nameOrFile);
  std::string names;
  for (const std::string& name : backendNames()) names += name + ", ";
  throw Error(ErrorCode::InvalidConfiguration, "there is no backend '" + nameOrFile + "'", {},
              "use one of " + names + "or the path of a file");
}

}  // namespace quantscope

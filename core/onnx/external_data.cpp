#include "onnx/external_data.h"

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

bool isInside(const fs::path& file, const fs::path& folder) {
  return std::ranges::mismatch(folder, file).in1 == folder.end();
}

// Resolved as far as it exists: a path that leaves the folder is named as such even if there is
// no file at its end.
fs::path resolve(const fs::path& folder, const std::string& location) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
  fs::path file;
  if (!failure) file = fs::weakly_canonical(root / location, failure);
  // A zero byte would end the path for the system, but not for the comparison.
  const bool isPath = !location.empty() && location.find('\0') == std::string::npos;
  if (failure || !isPath || !isInside(file, root)) {
    throw Error(
        ErrorCode::InvalidModel,
        "the external data '" + printableName(location) + "' lies outside the model's folder", {},
        "put the data file beside the model and export again with a relative path");
  }
  return file;
}

}  // namespace

ExternalData::ExternalData(const fs::path& folder, const std::string& location,
                           std::uint64_t offset, std::uint64_t size)
    : m_file(resolve(folder, location)), m_offset(offset) {
  if (offset <= m_file.size() && size <= m_file.size() - offset) return;
  throw Error(ErrorCode::InvalidModel,
              "the external data file is too short for " + std::to_string(size) +
                  " bytes from byte " + std::to_string(offset) + " on",
              {.file = m_file.path().string(), .node = {}, .value = {}},
              "copy or download the data file again");
}

}  // namespace quantscope

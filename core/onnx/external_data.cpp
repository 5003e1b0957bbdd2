#include "onnx/external_data.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/error.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

Place placeOf(const fs::path& file) {
  return {.file = file.string(), .node = {}, .value = {}};
}

bool isInside(const fs::path& file, const fs::path& folder) {
  const auto [end, unused] = std::ranges::mismatch(folder, file);
  return end == folder.end();
}

}  // namespace

ExternalData locateExternalData(const fs::path& folder, const std::string& location,
                                std::uintmax_t offset, std::uintmax_t size) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
  const fs::path wanted = root / location;
  // Resolved as far as it exists: a path that leaves the folder is named as such even if there is
  // no file at its end.
  const fs::path file = fs::weakly_canonical(wanted, failure);
  if (failure || location.empty() || !isInside(file, root)) {
    throw Error(ErrorCode::InvalidModel,
                "the external data '" + location + "' lies outside the model's folder", {},
                "put the data file beside the model and export again with a relative path");
  }
  if (!fs::is_regular_file(file, failure)) {
    throw Error(ErrorCode::Io, "the external data file does not exist", placeOf(wanted),
                "put it beside the model");
  }
  const std::uintmax_t available = fs::file_size(file, failure);
  if (failure || offset > available || size > available - offset) {
    throw Error(ErrorCode::InvalidModel,
                "the external data file is too short for " + std::to_string(size) +
                    " bytes from byte " + std::to_string(offset) + " on",
                placeOf(wanted), "copy or download the data file again");
  }
  return {file, offset};
}

void readExternalData(const ExternalData& source, std::span<std::byte> target) {
  std::ifstream stream(source.file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(source.offset));
  stream.read(reinterpret_cast<char*>(target.data()), static_cast<std::streamsize>(target.size()));
  if (!stream) {
    throw Error(ErrorCode::Io, "the external data file cannot be read", placeOf(source.file),
                "check its permissions");
  }
}

}  // namespace quantscope

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace quantscope {

/// Where in another file the elements of a tensor stand.
struct ExternalData {
  std::filesystem::path file;  ///< inside the model's folder, free of symbolic links
  std::uintmax_t offset = 0;   ///< bytes
};

/// Checks that `location`, relative to `folder`, names a regular file inside it (after following
/// symbolic links) that holds `size` bytes from `offset` on.
/// Throws InvalidModel where it points outside or is too short, Io where it is not there.
ExternalData locateExternalData(const std::filesystem::path& folder, const std::string& location,
                                std::uintmax_t offset, std::uintmax_t size);

/// Fills `target` with the bytes at `source`. Throws Io where they cannot be read.
void readExternalData(const ExternalData& source, std::span<std::byte> target);

}  // namespace quantscope

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quantscope::test {

/// One file of a zip archive, with the lies that a test wants it to tell.
struct ZipMember {
  std::string name;
  std::string content;
  bool deflate = false;
  std::optional<std::uint32_t> claimedSize = {};
  std::optional<std::uint32_t> claimedChecksum = {};
  std::optional<std::uint16_t> claimedMethod = {};
  std::uint16_t flags = 0;
};

/// The bytes of a zip archive of these files, in this order.
std::string zipBytes(const std::vector<ZipMember>& members);

/// CRC-32 as zip and PNG use it.
std::uint32_t crc32(const std::string& bytes);

/// `number` in `bytes` bytes, least significant first.
std::string littleEndian(std::uint64_t number, int bytes);

}  // namespace quantscope::test

#include "onnx/external_locations.h"

#include <set>
#include <string>

namespace quantscope {
namespace {

// A StringStringEntryProto with this key: field 1, its length and text, then field 2, the value.
constexpr std::string_view kKey = "\x0a\x08location\x12";

// Lengths of two bytes at most: 16,383.
std::string_view lengthDelimited(std::string_view bytes) {
  if (bytes.empty()) return {};
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  constexpr unsigned kMore = 0x80;
  std::size_t length = at(0);
  std::size_t begin = 1;
  if (at(0) >= kMore) {
    if (bytes.size() < 2 || at(1) >= kMore) return {};
    length = (at(0) & (kMore - 1)) | (std::size_t{at(1)} << 7);
    begin = 2;
  }
  return bytes.size() - begin < length ? std::string_view() : bytes.substr(begin, length);
}

}  // namespace

std::vector<std::filesystem::path> externalLocations(std::string_view model) {
  std::set<std::string> names;
  for (std::size_t place = model.find(kKey); place != std::string_view::npos;
       place = model.find(kKey, place + 1)) {
    const std::string_view name = lengthDelimited(model.substr(place + kKey.size()));
    if (!name.empty()) names.emplace(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace quantscope

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/byte_archive.h"

namespace quantscope::cli {

/// What ranks tell each other. `places` are those in the first rank's list of items.
struct RankMessage {
  std::vector<std::uint64_t> places;
  std::vector<std::uint64_t> items;
  std::vector<std::string> results;
};

template <class Archive>
void carry(Archive& archive, RankMessage& message) {
  carryAll(archive, message.places, message.items, message.results);
}

}  // namespace quantscope::cli

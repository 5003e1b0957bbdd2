#include <charconv>
#include <cstdlib>
#include <cstring>

#include "rank_session.h"

namespace quantscope::cli {

std::size_t launchedRanks() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_SIZE");
  std::size_t count = 1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), count);
  return count;
}

bool isFirstLaunched() {
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return launchedRanks() == 1 || rank == nullptr || std::strcmp(rank, "0") == 0;
}

}  // namespace quantscope::cli

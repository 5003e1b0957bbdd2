#include "calibration/spread_feeds.h"

#include <algorithm>

namespace quantscope {

std::vector<std::size_t> spreadFeeds(std::size_t feeds, std::size_t count) {
  const std::size_t most = std::min(feeds, count);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(i * feeds / most);
  return chosen;
}

}  // namespace quantscope

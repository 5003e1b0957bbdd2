#include "export/count_text.h"

#include <array>

#include "base/number_text.h"

namespace quantscope {

std::string countInWords(double count) {
  static constexpr std::array<const char*, 4> kPowers{"", " thousand", " million", " billion"};
  std::size_t power = 0;
  while (count >= 999.5 && power + 1 < kPowers.size()) {
    count /= 1000;
    ++power;
  }
  return shortNumber(count) + kPowers[power];
}

}  // namespace quantscope

#pragma once

#include <string>

namespace quantscope {

/// "812", "4.55 thousand", "12.3 million", "1.83 billion": three digits, powers of 1000 in words.
std::string countInWords(double count);

}  // namespace quantscope

#include <bit>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "export/foreign/foreign_grid.h"

namespace quantscope {

std::vector<ForeignGrid> readTensorrtCache(const std::string& text, const std::string& source) {
  std::vector<ForeignGrid> grids;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::size_t colon = line.rfind(": ");
    const auto refuse = [&](const std::string& what) {
      throw Error(ErrorCode::InvalidData,
                  "line " + std::to_string(number) + " of the calibration cache " + what,
                  {.file = source, .node = {}, .value = {}},
                  "write \"TENSOR: \" and the eight hexadecimal digits of a float");
    };
    if (colon == std::string::npos || colon == 0) refuse("names no tensor");
    const std::string digits = line.substr(colon + 2);
    std::uint32_t bits = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, bits, 16);
    const float scale = std::bit_cast<float>(bits);
    if (digits.size() != 8 || failure != std::errc() || stop != end) refuse("has no eight digits");
    if (!std::isnormal(scale) || scale < 0) refuse("has a number that is no scale");
    ForeignGrid grid{line.substr(0, colon)};
    grid.encoding = {QuantType::Int8, {scale}, {0}, {}, 0};
    grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace quantscope

#include "kernels/type_twins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/kernel_fixture.h"

namespace quantscope::test {
namespace {

struct Format {
  int exponentBits;
  int mantissaBits;
  unsigned finiteCodes;  // without the sign
};

Format formatOf(QuantType type) {
  switch (type) {
    case QuantType::Float8E4M3:
      return {4, 3, 0x7F};
    case QuantType::Float8E5M2:
      return {5, 2, 0x7C};
    case QuantType::Float16:
      return {5, 10, 0x7C00};
    default:
      return {8, 7, 0x7F80};
  }
}

double valueOf(const Format& format, unsigned code) {
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const auto exponent = static_cast<int>(code >> format.mantissaBits);
  const double fraction =
      std::ldexp(code & ((1U << format.mantissaBits) - 1), -format.mantissaBits);
  if (exponent == 0) return std::ldexp(fraction, 1 - bias);
  return std::ldexp(1 + fraction, exponent - bias);
}

bool isFloat8(QuantType type) {
  return type == QuantType::Float8E4M3 || type == QuantType::Float8E5M2;
}

// Where two are equally near, the one with the even code.
double nearest(QuantType type, double magnitude) {
  const std::vector<double>& numbers = numbersOf(type);
  const auto above = std::ranges::lower_bound(numbers, magnitude);
  if (above == numbers.end()) {
    const double last = numbers.back();
    const double firstBeyond = last + (last - numbers[numbers.size() - 2]) / 2;
    if (isFloat8(type) || magnitude < firstBeyond) return last;
    return std::numeric_limits<double>::infinity();
  }
  if (above == numbers.begin()) return *above;
  const double down = magnitude - *(above - 1);
  const double up = *above - magnitude;
  const bool evenBelow = (above - 1 - numbers.begin()) % 2 == 0;
  return down < up || (down == up && evenBelow) ? *(above - 1) : *above;
}

template <class Round>
float roundedFloat(float x, const Codes& codes, const Grid& grid, const Round& round) {
  if (std::isnan(x)) return x;
  const double scale = isFloat8(codes.type) ? double{grid.scale} : 1.0;
  const auto quotient = static_cast<float>(std::abs(x) / scale);
  return std::copysign(static_cast<float>(round(quotient) * scale), x);
}

float nextTo(double x, int direction) {
  const auto number = static_cast<float>(x);
  if (direction == 0) return number;
  return std::nextafterf(number, direction < 0 ? 0.0F : std::numeric_limits<float>::infinity());
}

}  // namespace

const std::vector<double>& numbersOf(QuantType type) {
  static std::map<QuantType, std::vector<double>> tables;
  std::vector<double>& numbers = tables[type];
  const Format format = formatOf(type);
  for (unsigned code = 0; numbers.size() < format.finiteCodes; ++code) {
    numbers.push_back(valueOf(format, code));
  }
  return numbers;
}

double decoded(QuantType type, unsigned code) {
  const Format format = formatOf(type);
  const unsigned signBit = 1U << (format.exponentBits + format.mantissaBits);
  const unsigned magnitude = code & (signBit - 1);
  const double sign = (code & signBit) != 0 ? -1 : 1;
  if (magnitude < format.finiteCodes) return sign * valueOf(format, magnitude);
  const bool infinite = type != QuantType::Float8E4M3 && magnitude == format.finiteCodes;
  return infinite ? sign * std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
}

float typeTwin(float x, const Codes& codes, const Grid& grid) {
  if (std::isnan(x)) return x;
  if (isFloatFormat(codes.type)) {
    return roundedFloat(x, codes, grid, [&](double q) { return nearest(codes.type, q); });
  }
  if (codes.type == QuantType::Ternary) {
    return std::abs(x) > grid.threshold ? std::copysign(grid.scale, x) : 0.0F;
  }
  if (codes.type == QuantType::Binary) return x < 0 ? -grid.scale : grid.scale;
  const double steps = std::nearbyint(static_cast<float>(static_cast<double>(x) / grid.scale));
  const double code = std::clamp<double>(steps + grid.zeroPoint, codes.qmin, codes.qmax);
  return static_cast<float>((code - grid.zeroPoint) * static_cast<double>(grid.scale));
}

float truncatingTwin(float x, const Codes& codes, const Grid& grid) {
  return roundedFloat(x, codes, grid, [&](double q) {
    const std::vector<double>& numbers = numbersOf(codes.type);
    return *(std::ranges::upper_bound(numbers, q) - 1);
  });
}

float flushingTwin(float x, const Codes& codes, const Grid& grid) {
  const double smallestNormal = numbersOf(codes.type)[std::size_t{1} << mantissaBits(codes.type)];
  return roundedFloat(x, codes, grid,
                      [&](double q) { return q < smallestNormal ? 0 : nearest(codes.type, q); });
}

std::vector<float> hardNumbers(const Codes& codes, const Grid& grid, std::size_t count) {
  std::vector<float> numbers = hostileNumbers(count, 200 * grid.scale, 7);
  for (std::size_t i = 0; i < count; i += 3) {
    const double sign = i % 2 == 0 ? 1 : -1;
    if (isFloatFormat(codes.type)) {
      const std::vector<double>& table = numbersOf(codes.type);
      const std::size_t place = i * 37 % (table.size() - 1);
      const double scale = isFloat8(codes.type) ? double{grid.scale} : 1.0;
      const double tie = (table[place] + table[place + 1]) / 2 * scale;
      numbers[i] = static_cast<float>(sign * nextTo(tie, static_cast<int>(i % 9) / 3 - 1));
    } else if (codes.type == QuantType::Ternary) {
      numbers[i] =
          static_cast<float>(sign) * nextTo(grid.threshold, static_cast<int>(i % 9) / 3 - 1);
    } else {
      numbers[i] = (static_cast<float>(i % 300) - 150.5F) * grid.scale;
    }
  }
  return numbers;
}

std::vector<float> mapped(std::span<const float> in, const Codes& codes, const Grid& grid,
                          TypeTwin twin) {
  std::vector<float> out;
  for (const float x : in) out.push_back(twin(x, codes, grid));
  return out;
}

}  // namespace quantscope::test

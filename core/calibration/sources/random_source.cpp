#include "calibration/sources/random_source.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "tensor/half.h"

namespace quantscope {
namespace {

// 4 GiB of floats; a real model's input is a hundredth of it.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators"). The
// standard library's distributions may differ between its versions, this does not.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t bits() {
    m_state += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = m_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }

  /// A number in [−1, 1).
  double symmetric() { return std::ldexp(static_cast<double>(bits() >> 11), -52) - 1; }

  /// Standard normal, by Marsaglia's polar method.
  double normal();

 private:
  std::uint64_t m_state;
  double m_spare = 0;
  bool m_hasSpare = false;
};

// ln x for 0 < x < 1 from basic operations alone: 2 artanh((m − 1) / (m + 1)) + e ln 2 with
// m in [√½, √2), where the series' 12 terms leave less than 1e-18.
double naturalLogarithm(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double t = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int term = 11; term >= 0; --term) sum = sum * t * t + 1.0 / (2 * term + 1);
  return 2 * t * sum + exponent * 0.69314718055994531;
}

double RandomNumbers::normal() {
  if (m_hasSpare) {
    m_hasSpare = false;
    return m_spare;
  }
  double u = 0;
  double v = 0;
  double square = 0;
  do {
    u = symmetric();
    v = symmetric();
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * naturalLogarithm(square) / square);
  m_spare = v * factor;
  m_hasSpare = true;
  return u * factor;
}

template <class T>
T randomElement(RandomNumbers& numbers) {
  if constexpr (std::is_same_v<T, Float16>) {
    return toFloat16(static_cast<float>(numbers.normal()));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return toBFloat16(static_cast<float>(numbers.normal()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(numbers.normal());
  } else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>) {
    return static_cast<T>(numbers.bits() >> 56);
  } else {
    return static_cast<T>(numbers.bits() >> 63);
  }
}

class RandomReader : public InputReader {
 public:
  RandomReader(ElementType type, const Shape& shape, std::uint64_t seed)
      : m_type(type), m_shape(shape), m_seed(seed) {}

  Tensor read(std::size_t index) override {
    RandomNumbers numbers(RandomNumbers(m_seed + index).bits());
    Tensor tensor(m_type, m_shape);
    visitElementType(m_type, [&]<class T>() {
      for (T& element : tensor.mutableValues<T>()) element = randomElement<T>(numbers);
    });
    return tensor;
  }

 private:
  ElementType m_type;
  Shape m_shape;
  std::uint64_t m_seed;
};

std::set<std::string> batchSymbols(const std::vector<ModelInput>& inputs) {
  std::set<std::string> symbols;
  for (const ModelInput& input : inputs) {
    if (!input.shape || input.shape->empty()) continue;
    const Dimension& first = input.shape->front();
    if (!first.known() && !first.symbol.empty()) symbols.insert(first.symbol);
  }
  return symbols;
}

Shape feedShape(const ModelInput& input, const std::set<std::string>& batchNames) {
  const Place place{.file = {}, .node = {}, .value = input.name};
  constexpr const char* kRemedy = "give real data, or export the model with fixed shapes";
  if (!input.shape) {
    throw Error(ErrorCode::InsufficientData,
                "random data cannot be made for an input of unknown shape", place, kRemedy);
  }
  Shape shape;
  for (const Dimension& dimension : *input.shape) {
    if (dimension.known()) {
      shape.append(dimension.extent);
    } else if (shape.empty() || batchNames.contains(dimension.symbol)) {
      shape.append(1);
    } else {
      throw Error(ErrorCode::InsufficientData,
                  "random data cannot be made for the input " + describe(input) + ", whose axis " +
                      std::to_string(shape.rank()) + " may have any length",
                  place, kRemedy);
    }
  }
  if (shape.elementCount() > kMaxElements) {
    throw Error(ErrorCode::InvalidModel, "the model's input " + describe(input) + " is too large",
                place, "export the model with a smaller shape");
  }
  return shape;
}

bool shareBatch(const std::vector<Shape>& shapes) {
  return !shapes.empty() && std::ranges::all_of(shapes, [&](const Shape& shape) {
    return !shape.empty() && !shapes.front().empty() && shape[0] == shapes.front()[0];
  });
}

}  // namespace

std::vector<InputData> makeRandomInputs(std::size_t samples, std::uint64_t seed,
                                        const std::vector<ModelInput>& inputs) {
  const std::set<std::string> batchNames = batchSymbols(inputs);
  std::vector<Shape> shapes;
  shapes.reserve(inputs.size());
  for (const ModelInput& input : inputs) shapes.push_back(feedShape(input, batchNames));

  const bool cut = shareBatch(shapes);
  RandomNumbers seeds(seed);
  std::vector<InputData> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (cut) shapes[i][0] = 1;
    result.push_back({inputs[i], cut ? Cut::Samples : Cut::WholeFeeds, samples,
                      std::make_unique<RandomReader>(inputs[i].type, shapes[i], seeds.bits())});
  }
  return result;
}

}  // namespace quantscope

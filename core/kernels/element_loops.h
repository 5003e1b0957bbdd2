#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quantscope {

// The cheap operations between layers, on floats: each is the IEEE operations of its formula in
// their order, every one rounded by itself, so every target of Highway's gives the same bits.
// Whether denormals count is up to the floating-point mode. NaN gives NaN.

/// y = f(x) with up to two numbers a and b.
struct UnaryElement {
  enum class Operation : std::uint8_t {
    Identity,     ///< x
    Relu,         ///< x < 0 ? 0 : x
    LeakyRelu,    ///< x < 0 ? a·x : x
    Clamp,        ///< x below a → a, then above b → b
    HardSigmoid,  ///< a·x + b between 0 and 1
    HardSwish,    ///< x times (x/6 + 1/2 between 0 and 1), where 1/6 is a float
    Absolute,     ///< |x|
    Negate,       ///< −x
    SquareRoot,   ///< √x
    Square,       ///< x·x
  };
  Operation operation = Operation::Identity;
  float a = 0;
  float b = 0;
};

/// y = f(x, p)
enum class BinaryElement : std::uint8_t {
  Add,           ///< x + p
  Subtract,      ///< x − p
  SubtractFrom,  ///< p − x
  Multiply,      ///< x · p
  Divide,        ///< x / p
  DivideInto,    ///< p / x
  Slope,         ///< x < 0 ? p·x : x
};

/// y[i] = f(x[i]). x and y are equally long; they are the same elements or do not overlap.
void applyUnary(const UnaryElement& element, std::span<const float> x, std::span<float> y);

/// y[i] = f(x[i], p[i]), or f(x[i], p[0]) where p holds one number and x more. x and y as above.
void applyBinary(BinaryElement element, std::span<const float> x, std::span<const float> p,
                 std::span<float> y);

/// y[i] = after(x[i] + p[i]); all equally long, x and y as above. Each rounding is that of the
/// operations one by one.
void applySum(std::span<const float> x, std::span<const float> p, const UnaryElement& after,
              std::span<float> y);

/// y[i] = after(x[i] · scale[i] + shift[i]), likewise; the product is rounded before the sum.
void applyScaleShift(std::span<const float> x, std::span<const float> scale,
                     std::span<const float> shift, const UnaryElement& after, std::span<float> y);

}  // namespace quantscope

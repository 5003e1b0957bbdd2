#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// Signs ±1 over the elements of an output that depend on nothing but these numbers.
class ProbeSigns {
 public:
  ProbeSigns(std::uint64_t seed, std::uint64_t sample, std::uint64_t probe);
  float operator()(std::size_t element);

 private:
  std::uint64_t m_key;
  std::uint64_t m_block = ~std::uint64_t{0};
  std::uint64_t m_bits = 0;
};

/// actual − expected, two tensors of real numbers and of one shape, as float32 in this layout.
Tensor differenceOf(const Tensor& actual, const Tensor& expected, Layout layout);

/// Σ g·Δ of two float32 tensors that lie alike, summed in double in an order that depends on the
/// number of elements alone; NaN or ±∞ where it is not finite.
double innerProduct(const Tensor& cotangent, const Tensor& difference);

/// The same where innerProduct() is not finite, by the rule of measureOutput(): +∞ where an element
/// whose expected value is finite has a change that is not, and a gradient other than 0; else the
/// sum over what is finite. `expected`: of the change, in any layout.
double spoiltProduct(const Tensor& cotangent, const Tensor& difference, const Tensor& expected);

}  // namespace quantscope

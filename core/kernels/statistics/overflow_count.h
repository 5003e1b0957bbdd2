#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

/// Numbers from here on round to infinity: the middle between the largest number of the type and
/// the power of two that would follow it, where the tie goes to the even one.
constexpr float kFloat16Overflow = 65520.0F;
constexpr float kBFloat16Overflow = 0x1.FFp+127F;

/// The number of finite elements with |x| ≥ limit > 0.
std::size_t countFrom(std::span<const float> in, float limit);

}  // namespace quantscope

#pragma once

#include <cstddef>
#include <cstdint>

namespace quantscope {

/// Stands for any element of `Bytes` bytes in code that only moves elements; may alias any type.
template <std::size_t Bytes>
struct RawElementOf;
template <>
struct RawElementOf<1> {
  struct [[gnu::may_alias]] Type {
    std::uint8_t bits;
  };
};
template <>
struct RawElementOf<2> {
  struct [[gnu::may_alias]] Type {
    std::uint16_t bits;
  };
};
template <>
struct RawElementOf<4> {
  struct [[gnu::may_alias]] Type {
    std::uint32_t bits;
  };
};
template <>
struct RawElementOf<8> {
  struct [[gnu::may_alias]] Type {
    std::uint64_t bits;
  };
};

/// Calls `function.template operator()<T>()` with a stand-in for elements of `bytes` bytes.
template <class Function>
void visitRawElements(std::size_t bytes, Function&& function) {
  switch (bytes) {
    case 1:
      return function.template operator()<RawElementOf<1>::Type>();
    case 2:
      return function.template operator()<RawElementOf<2>::Type>();
    case 4:
      return function.template operator()<RawElementOf<4>::Type>();
    default:
      return function.template operator()<RawElementOf<8>::Type>();
  }
}

}  // namespace quantscope

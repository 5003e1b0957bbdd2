#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "tensor/element_type.h"
#include "tensor/raw_element.h"

namespace quantscope {

/// Element types that an operator takes. The half types are missing everywhere: the engine widens
/// them before it calls a kernel.
template <class... T>
struct TypeList {};

using FloatTypes = TypeList<float, double>;
using SignedIntegerTypes = TypeList<std::int64_t, std::int32_t, std::int16_t, std::int8_t>;
using UnsignedIntegerTypes = TypeList<std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>;

template <class... A, class... B>
TypeList<A..., B...> join(TypeList<A...>, TypeList<B...>);

using SignedTypes = decltype(join(FloatTypes{}, SignedIntegerTypes{}));
using IntegerTypes = decltype(join(SignedIntegerTypes{}, UnsignedIntegerTypes{}));
using NumberTypes = decltype(join(FloatTypes{}, IntegerTypes{}));
using AllTypes = decltype(join(NumberTypes{}, TypeList<bool>{}));

/// Calls `function.template operator()<T>()` with the C++ type that stores `type`.
/// Throws UnsupportedType for a type that is not in the list.
template <class... T, class Function>
void visitTypes(TypeList<T...>, ElementType type, Function&& function) {
  const bool found =
      ((type == ElementTypeOf<T>::kType && (function.template operator()<T>(), true)) || ...);
  if (!found) {
    throw Error(ErrorCode::UnsupportedType,
                "the operator does not take " + std::string(name(type)) + " elements");
  }
}

}  // namespace quantscope

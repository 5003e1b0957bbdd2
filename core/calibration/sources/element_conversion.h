#pragma once

#include "base/error.h"
#include "tensor/tensor.h"

namespace quantscope {

/// True where elements of one type can serve an input of another: both float, both integer, or
/// both bool.
bool sameKind(ElementType found, ElementType wanted);

/// The elements in the wanted type: floats rounded to nearest even, integers as they are. Throws
/// Error(InvalidData) for a finite float that would become infinite and an integer that does not
/// fit, Error(UnsupportedType) for types of different kinds.
Tensor convertElements(const Tensor& tensor, ElementType wanted, const Place& place);

/// Throws Error(InvalidData) that says how many elements of a float tensor are not finite, and the
/// first of them. `sample` goes into the sentence.
void requireFinite(const Tensor& tensor, std::size_t sample, const Place& place);

}  // namespace quantscope

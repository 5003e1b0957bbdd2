#pragma once

#include "onnx/inference/context.h"

namespace quantscope::inference {

inline Dimension known(std::int64_t extent) {
  return {.extent = extent, .symbol = {}};
}
inline Dimension unknown() {
  return {};
}

/// `rank` unknown extents.
Dimensions unknownShape(std::size_t rank);

/// A copy of the shape, or none.
std::optional<Dimensions> copyOf(const Dimensions* shape);

/// True where both are certain to be equal: the same number or the same symbol.
bool certainlyEqual(const Dimension& a, const Dimension& b);

/// The facts that are common to both alternatives.
Dimension common(const Dimension& a, const Dimension& b);
std::optional<Dimensions> common(const std::optional<Dimensions>& a,
                                 const std::optional<Dimensions>& b);

/// The shape of an elementwise result; none where a shape is unknown or they do not go together.
std::optional<Dimensions> broadcast(const Dimensions* a, const Dimensions* b);
/// Broadcasts inputs [first, last).
std::optional<Dimensions> broadcastInputs(const Context& context, std::size_t first,
                                          std::size_t last);

/// The product of extents with symbols kept apart: [2, batch, 3] = 6 · batch.
struct Product {
  std::int64_t number = 1;
  std::vector<std::string> symbols;
  bool certain = true;  ///< false where an extent is wholly unknown
};
Product productOf(const Dimensions& shape, std::size_t first, std::size_t last);
/// a / b, where that is a number or a symbol.
Dimension quotient(Product a, const Product& b);
Dimension toDimension(const Product& product);

/// The extent that an element of a shape tensor stands for.
Dimension toDimension(const Element& element);
Element toElement(const Dimension& dimension);

/// The extent and `by` more, which may be negative; only a known extent changes.
Dimension shifted(const Dimension& extent, std::int64_t by);

/// True where every value is between −2^22 and 2^22, so that formulas over extents cannot overflow.
bool isModest(const std::vector<std::int64_t>& values);

/// The single element of an input, where it is a known number.
std::optional<double> scalar(const Context& context, std::size_t input);

/// The element type that an attribute names; `fallback` where the node does not have it.
std::optional<ElementType> attributeType(const Context& context, std::string_view attribute,
                                         std::optional<ElementType> fallback);

/// `values` counted from the front. Throws InvalidParameters outside the rank.
std::vector<std::size_t> normalizedAxes(const std::vector<std::int64_t>& values, std::size_t rank);

}  // namespace quantscope::inference

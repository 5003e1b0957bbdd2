#include "onnx/inference/dimensions.h"

#include <algorithm>

#include "tensor/shape.h"

namespace quantscope::inference {
namespace {

// Neither need be known; none where they cannot both hold.
std::optional<Dimension> broadcastExtent(const Dimension& a, const Dimension& b) {
  if (a.extent == 1) return b;
  if (b.extent == 1 || certainlyEqual(a, b)) return a;
  if (a.known() && b.known()) return std::nullopt;
  // A number above 1 stays; the unknown one can only be that or 1.
  if (a.known()) return a;
  if (b.known()) return b;
  return unknown();
}

}  // namespace

Dimensions unknownShape(std::size_t rank) {
  return Dimensions(rank);
}

std::optional<Dimensions> copyOf(const Dimensions* shape) {
  if (shape == nullptr) return std::nullopt;
  return *shape;
}

bool certainlyEqual(const Dimension& a, const Dimension& b) {
  if (a.known() || b.known()) return a.extent == b.extent;
  return !a.symbol.empty() && a.symbol == b.symbol;
}

Dimension common(const Dimension& a, const Dimension& b) {
  return certainlyEqual(a, b) ? a : unknown();
}

std::optional<Dimensions> common(const std::optional<Dimensions>& a,
                                 const std::optional<Dimensions>& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  Dimensions result;
  for (std::size_t i = 0; i < a->size(); ++i) result.push_back(common((*a)[i], (*b)[i]));
  return result;
}

std::optional<Dimensions> broadcast(const Dimensions* a, const Dimensions* b) {
  if (a == nullptr || b == nullptr) return std::nullopt;
  const std::size_t rank = std::max(a->size(), b->size());
  Dimensions result(rank);
  for (std::size_t i = 1; i <= rank; ++i) {
    const Dimension left = i <= a->size() ? (*a)[a->size() - i] : known(1);
    const Dimension right = i <= b->size() ? (*b)[b->size() - i] : known(1);
    const std::optional<Dimension> extent = broadcastExtent(left, right);
    if (!extent) return std::nullopt;
    result[rank - i] = *extent;
  }
  return result;
}

std::optional<Dimensions> broadcastInputs(const Context& context, std::size_t first,
                                          std::size_t last) {
  std::optional<Dimensions> result = Dimensions();
  for (std::size_t i = first; i < last && result; ++i) {
    result = broadcast(&*result, context.shape(i));
  }
  return result;
}

Product productOf(const Dimensions& shape, std::size_t first, std::size_t last) {
  Product product;
  for (std::size_t i = first; i < last; ++i) {
    if (shape[i].known()) {
      const bool overflow =
          __builtin_mul_overflow(product.number, shape[i].extent, &product.number);
      product.certain = product.certain && !overflow;
    } else if (shape[i].symbol.empty()) {
      product.certain = false;
    } else {
      product.symbols.push_back(shape[i].symbol);
    }
  }
  return product;
}

Dimension quotient(Product a, const Product& b) {
  if (!a.certain || !b.certain || b.number == 0 || a.number % b.number != 0) return unknown();
  for (const std::string& symbol : b.symbols) {
    const auto found = std::ranges::find(a.symbols, symbol);
    if (found == a.symbols.end()) return unknown();
    a.symbols.erase(found);
  }
  a.number /= b.number;
  return toDimension(a);
}

Dimension toDimension(const Product& product) {
  if (!product.certain) return unknown();
  if (product.symbols.empty() || product.number == 0) return known(product.number);
  if (product.symbols.size() == 1 && product.number == 1) {
    return {.extent = -1, .symbol = product.symbols.front()};
  }
  return unknown();
}

Dimension toDimension(const Element& element) {
  if (element.number) return known(toInteger(*element.number));
  return {.extent = -1, .symbol = element.symbol};
}

Element toElement(const Dimension& dimension) {
  if (dimension.known()) return {static_cast<double>(dimension.extent), {}};
  return {{}, dimension.symbol};
}

Dimension shifted(const Dimension& extent, std::int64_t by) {
  if (by == 0) return extent;
  Dimension result;
  if (!extent.known() || __builtin_add_overflow(extent.extent, by, &result.extent)) {
    return unknown();
  }
  return result;
}

bool isModest(const std::vector<std::int64_t>& values) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 22;
  return std::ranges::all_of(values, [](auto v) { return v > -kLimit && v < kLimit; });
}

std::optional<double> scalar(const Context& context, std::size_t input) {
  const Elements* elements = context.elements(input);
  if (elements == nullptr || elements->size() != 1) return std::nullopt;
  return elements->front().number;
}

std::optional<ElementType> attributeType(const Context& context, std::string_view attribute,
                                         std::optional<ElementType> fallback) {
  const Node& node = context.node();
  return node.has(attribute) ? elementTypeOf(node.integer(attribute, 0)) : fallback;
}

std::vector<std::size_t> normalizedAxes(const std::vector<std::int64_t>& values, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (const std::int64_t value : values) axes.push_back(normalizeAxis(value, rank));
  return axes;
}

}  // namespace quantscope::inference

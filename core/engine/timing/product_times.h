#pragma once

#include <cstdint>
#include <optional>

#include "graph/graph.h"
#include "tensor/shape.h"

namespace quantscope {

/// The types that oneDNN's kernels multiply in.
enum class ProductType : std::uint8_t {
  Float32,
  BFloat16,
  Int8,  ///< unsigned data, signed weights, unsigned result
};

/// Shapes of one run of a node with weights: a convolution, forward or transposed, or a matrix
/// product.
struct ProductShape {
  Shape data;
  Shape weight;
  Shape output;
};

/// Median seconds of one run of the node's sum of products with oneDNN, on one thread, on made-up
/// elements, weights in the order that the kernel likes best. Nothing where oneDNN has no kernel
/// for it on this machine, or the operator is none of these.
std::optional<double> secondsOfProduct(const Node& node, const ProductShape& shape,
                                       ProductType type);

/// Median seconds to round this many float32 elements to 8 bits, or to turn such codes back.
double secondsToQuantize(std::int64_t elements);
double secondsToDequantize(std::int64_t elements);

/// Bytes that one thread reads and writes per second when it copies this many float32 elements,
/// over and over.
double copiedBytesPerSecond(std::int64_t elements);

}  // namespace quantscope

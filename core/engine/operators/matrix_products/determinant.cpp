#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/operators/matrix_products/matrix_products.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

// By elimination with the largest pivot of each column, in double; `a` [n, n] is used up.
double determinant(std::vector<double>& a, std::size_t n) {
  double result = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(a[row * n + column]) > std::abs(a[pivot * n + column])) pivot = row;
    }
    if (a[pivot * n + column] == 0) return 0;
    if (pivot != column) {
      for (std::size_t k = 0; k < n; ++k) std::swap(a[pivot * n + k], a[column * n + k]);
      result = -result;
    }
    result *= a[column * n + column];
    for (std::size_t row = column + 1; row < n; ++row) {
      const double factor = a[row * n + column] / a[column * n + column];
      for (std::size_t k = column; k < n; ++k) a[row * n + k] -= factor * a[column * n + k];
    }
  }
  return result;
}

void determinants(std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  const Shape& shape = x.shape();
  if (shape.rank() < 2 || shape.back() != shape[shape.rank() - 2]) {
    throw Error(ErrorCode::InvalidParameters,
                "only square matrices have a determinant, not the shape " + toString(shape));
  }
  Tensor y(x.type(), Shape(shape.dimensions().first(shape.rank() - 2)));
  const auto n = static_cast<std::size_t>(shape.back());
  visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
    for (std::size_t i = 0; i < y.elementCount(); ++i) {
      const std::span<const T> matrix = x.values<T>().subspan(i * n * n, n * n);
      std::vector<double> elements(matrix.begin(), matrix.end());
      y.mutableValues<T>()[i] = static_cast<T>(determinant(elements, n));
    }
  });
  setOutput(outputs, 0, std::move(y));
}

}  // namespace

std::unique_ptr<Kernel> makeDeterminant(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(determinants);
}

}  // namespace quantscope

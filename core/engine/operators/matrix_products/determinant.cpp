// Work is shared out over samples, never within an operator.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/operators/matrix_products/matrix_products.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void determinants(std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  const Shape& shape = x.shape();
  if (shape.rank() < 2 || shape.back() != shape[shape.rank() - 2]) {
    throw Error(ErrorCode::InvalidParameters,
                "only square matrices have a determinant, not the shape " + toString(shape));
  }
  Tensor y(x.type(), Shape(shape.dimensions().first(shape.rank() - 2)));
  const std::int64_t n = shape.back();
  RowMajor matrix(n, n);
  visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
    const T* from = x.values<T>().data();
    for (T& result : y.mutableValues<T>()) {
      std::copy_n(from, n * n, matrix.data());
      result = static_cast<T>(matrix.determinant());
      from += n * n;
    }
  });
  setOutput(outputs, 0, std::move(y));
}

}  // namespace

std::unique_ptr<Kernel> makeDeterminant(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(determinants);
}

}  // namespace quantscope

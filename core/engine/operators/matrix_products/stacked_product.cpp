#include "engine/operators/matrix_products/stacked_product.h"

#include <algorithm>
#include <type_traits>

#include "base/part_loop.h"
#include "engine/operators/type_lists.h"
#include "engine/panel_matrix.h"

namespace quantscope {
namespace {

// Minimum cost of a part of an item, in products.
constexpr std::int64_t kPartCost = std::int64_t{1} << 20;

using ProductTypes =
    TypeList<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;

// Signed overflow wraps, as it does in every other runtime.
template <class T>
using Arithmetic = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                               std::type_identity<T>>::type;

template <class T>
void multiplyByDefinition(const T* a, const T* b, T* y, const ProductShapes& shapes) {
  std::fill_n(y, shapes.m * shapes.n, T{});
  for (std::int64_t i = 0; i < shapes.m; ++i, y += shapes.n) {
    for (std::int64_t p = 0; p < shapes.k; ++p) {
      const auto factor = static_cast<Arithmetic<T>>(a[i * shapes.k + p]);
      const T* row = b + p * shapes.n;
      for (std::int64_t j = 0; j < shapes.n; ++j) {
        y[j] = static_cast<T>(static_cast<Arithmetic<T>>(y[j]) +
                              factor * static_cast<Arithmetic<T>>(row[j]));
      }
    }
  }
}

template <class T>
void multiplyStackOf(const Tensor& a, const Tensor& b, Tensor& y, const ProductShapes& shapes) {
  const T* left = a.values<T>().data();
  const T* right = b.values<T>().data();
  T* target = y.mutableValues<T>().data();
  const std::int64_t matrices = shapes.stack.elementCount();
  const std::int64_t cost = std::max<std::int64_t>(1, shapes.m * shapes.n * shapes.k);
  const auto grain = static_cast<std::size_t>(std::max<std::int64_t>(1, kPartCost / cost));
  forEachPiece(static_cast<std::size_t>(matrices), grain, [&](std::size_t first, std::size_t end) {
    for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(end); ++i) {
      const T* l = left + shapes.matrixOfA(i) * shapes.m * shapes.k;
      const T* r = right + shapes.matrixOfB(i) * shapes.k * shapes.n;
      T* t = target + i * shapes.m * shapes.n;
      if constexpr (std::is_same_v<T, float>) {
        PanelMatrix({r, shapes.n, 1}, shapes.k, shapes.n).multiply(l, shapes.m, nullptr, t);
      } else {
        multiplyByDefinition(l, r, t, shapes);
      }
    }
  });
}

}  // namespace

void multiplyStacks(const Tensor& a, const Tensor& b, const ProductShapes& shapes, Tensor& y) {
  visitTypes(ProductTypes{}, y.type(), [&]<class T>() { multiplyStackOf<T>(a, b, y, shapes); });
}

}  // namespace quantscope

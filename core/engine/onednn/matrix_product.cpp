#include "engine/onednn/matrix_product.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/part_loop.h"

namespace quantscope::onednn {
namespace {

// Numbers of rows that one node meets.
constexpr std::size_t kPreparedExtents = 8;

// Minimum cost of a part of an item, in products.
constexpr std::int64_t kPartCost = std::int64_t{2} << 20;
// Rows that make it worth while to read the weights once more.
constexpr std::int64_t kLeastRows = 48;

// Below this many weights a primitive's own overhead (a microsecond) exceeds what packed weights
// save. The choice must not depend on the number of rows: the two sum in different orders.
constexpr std::int64_t kSmallestPacked = 64 * 128;

}  // namespace

struct MatrixProduct::Prepared {
  Extents extents;
  bool biased;
  dnnl::memory::desc plainWeights;
  dnnl::memory::desc packedWeights;
  std::unique_ptr<PrimitiveCall> call;  ///< none where panels serve better
};

MatrixProduct::MatrixProduct(bool constantWeights, bool transposed)
    : m_constantWeights(constantWeights),
      m_transposed(transposed),
      m_prepared(kPreparedExtents),
      m_packer(constantWeights),
      m_panels(constantWeights) {}

std::shared_ptr<const MatrixProduct::Prepared> MatrixProduct::prepare(const Extents& extents,
                                                                      bool biased) const {
  const auto matches = [&](const Prepared& prepared) {
    return prepared.extents == extents && prepared.biased == biased;
  };
  return m_prepared.findOrMake(matches, [&] {
    return translated([&] {
      const auto [m, n, k] = extents;
      auto prepared = std::make_shared<Prepared>();
      prepared->extents = extents;
      prepared->biased = biased;
      prepared->plainWeights =
          descriptor({k, n}, m_transposed ? dnnl::memory::dims{1, k} : dnnl::memory::dims{n, 1});
      const dnnl::memory::desc x = descriptor({m, k}, {k, 1});
      const dnnl::memory::desc y = descriptor({m, n}, {n, 1});
      const dnnl::memory::desc bias = biased ? descriptor({1, n}, {n, 1}) : dnnl::memory::desc();
      const dnnl::matmul::primitive_desc chosen({x, anyOrder({k, n}), bias, y}, userScratchpad(),
                                                cpuEngine());
      // Only the block-wise kernels treat a single row like one of many.
      if (!std::string_view(chosen.impl_info_str()).starts_with("brg")) return prepared;
      prepared->packedWeights = chosen.weights_desc();
      std::vector<PrimitiveCall::Argument> arguments{
          {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, prepared->packedWeights}, {DNNL_ARG_DST, y}};
      if (biased) arguments.push_back({DNNL_ARG_BIAS, bias});
      prepared->call = std::make_unique<PrimitiveCall>(dnnl::matmul(chosen), std::move(arguments),
                                                       chosen.scratchpad_desc());
      return prepared;
    });
  });
}

void MatrixProduct::run(const float* x, std::int64_t m, const Tensor& weights, const Tensor& bias,
                        float* y) const {
  const std::int64_t k = weights.shape()[m_transposed ? 1 : 0];
  const std::int64_t n = weights.shape()[m_transposed ? 0 : 1];
  const float* addends = bias.defined() ? bias.values<float>().data() : nullptr;
  if (m_constantWeights && m > 0 && k * n >= kSmallestPacked &&
      prepare({m, n, k}, bias.defined())->call != nullptr) {
    const std::int64_t grain = std::max(kLeastRows, kPartCost / (k * n));
    return forEachPiece(static_cast<std::size_t>(m), static_cast<std::size_t>(grain),
                        [&](std::size_t first, std::size_t end) {
                          const auto start = static_cast<std::int64_t>(first);
                          runRows(x + start * k, static_cast<std::int64_t>(end) - start, weights,
                                  addends, y + start * n);
                        });
  }
  runRows(x, m, weights, addends, y);
}

void MatrixProduct::runRows(const float* x, std::int64_t m, const Tensor& weights,
                            const float* bias, float* y) const {
  const std::int64_t k = weights.shape()[m_transposed ? 1 : 0];
  const std::int64_t n = weights.shape()[m_transposed ? 0 : 1];
  if (m_constantWeights && m > 0 && k * n >= kSmallestPacked) {
    const auto prepared = prepare({m, n, k}, bias != nullptr);
    if (prepared->call != nullptr) {
      const auto packed = m_packer.pack(weights, prepared->plainWeights, prepared->packedWeights);
      if (bias != nullptr) {
        prepared->call->run({x, packed->data(), y, bias});
      } else {
        prepared->call->run({x, packed->data(), y});
      }
      return;
    }
  }
  const StridedMatrix matrix{weights.values<float>().data(), m_transposed ? 1 : n,
                             m_transposed ? k : 1};
  m_panels.of(weights, matrix, k, n)->multiply(x, m, bias, y);
}

}  // namespace quantscope::onednn

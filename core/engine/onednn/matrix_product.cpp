#include "engine/onednn/matrix_product.h"

#include <string_view>

#include "base/error.h"
#include "engine/onednn/sgemm.h"

namespace quantscope::onednn {
namespace {

// Numbers of rows that one node meets.
constexpr std::size_t kPreparedExtents = 8;

// Below this many weights a primitive's own overhead (a microsecond) exceeds what packed weights
// save. The choice must not depend on the number of rows: the two sum in different orders.
constexpr std::int64_t kSmallestPacked = 64 * 128;

void addBias(const Tensor& bias, float* y, std::int64_t m, std::int64_t n) {
  const float* addends = bias.values<float>().data();
  for (std::int64_t row = 0; row < m; ++row, y += n) {
    for (std::int64_t column = 0; column < n; ++column) y[column] += addends[column];
  }
}

}  // namespace

struct MatrixProduct::Prepared {
  Extents extents;
  bool biased;
  dnnl::memory::desc plainWeights;
  dnnl::memory::desc packedWeights;
  std::unique_ptr<PrimitiveCall> call;  ///< none where sgemm serves better
};

MatrixProduct::MatrixProduct(bool constantWeights, bool transposed)
    : m_constantWeights(constantWeights),
      m_transposed(transposed),
      m_prepared(kPreparedExtents),
      m_packer(constantWeights) {}

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
  if (m_constantWeights && m > 0 && k * n >= kSmallestPacked) {
    const auto prepared = prepare({m, n, k}, bias.defined());
    if (prepared->call != nullptr) {
      const auto packed = m_packer.pack(weights, prepared->plainWeights, prepared->packedWeights);
      if (bias.defined()) {
        prepared->call->run({x, packed->data(), y, bias.values<float>().data()});
      } else {
        prepared->call->run({x, packed->data(), y});
      }
      return;
    }
  }
  multiply({x, false}, {weights.values<float>().data(), m_transposed}, y, m, n, k);
  if (bias.defined()) addBias(bias, y, m, n);
}

}  // namespace quantscope::onednn

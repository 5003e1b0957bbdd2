#include "repair/layer_moments.h"

#include <algorithm>

#include "engine/onednn/sgemm.h"
#include "repair/layer_columns.h"

namespace quantscope {
namespace {

// Columns that are multiplied at once, in float, before double takes over.
constexpr std::size_t kChunk = 256;
// Below this a call of the library costs more than the product.
constexpr Eigen::Index kSmall = 48;
// Multiply-accumulates of a layer's products, for each of the two, at most; but never fewer columns
// than four times those that a fit needs.
constexpr double kMostProducts = 2e10;
constexpr std::size_t kEnough = 8;

void prepare(GroupMoments& moments, std::size_t inputs, Moments which) {
  const auto size = static_cast<Eigen::Index>(inputs);
  moments.twinMean = moments.quantizedMean = Eigen::VectorXd::Zero(size);
  if (which == Moments::Means) return;
  moments.gram = moments.cross = Eigen::MatrixXd::Zero(size, size);
}

void add(const GroupMoments& part, GroupMoments& sum) {
  sum.columns += part.columns;
  sum.twinMean += part.twinMean;
  sum.quantizedMean += part.quantizedMean;
  if (part.gram.size() == 0) return;
  sum.gram += part.gram;
  sum.cross += part.cross;
}

void finish(GroupMoments& moments) {
  const double scale = moments.columns > 0 ? 1 / moments.columns : 0;
  moments.twinMean *= scale;
  moments.quantizedMean *= scale;
  if (moments.gram.size() == 0) return;
  moments.gram *= scale;
  moments.cross *= scale;
}

/// The sums of one feed.
class FeedMoments {
 public:
  FeedMoments(const Engine& engine, const LinearLayer& layer, const LayerInputs& inputs,
              Moments which)
      : m_layer(layer),
        m_which(which),
        m_twin(engine, layer, inputs.twin),
        m_quantized(engine, layer, inputs.quantized) {}

  std::size_t positions() const { return std::min(m_twin.positions(), m_quantized.positions()); }

  GroupMoments of(std::size_t group, std::size_t step) {
    GroupMoments moments;
    prepare(moments, m_layer.inputs, m_which);
    const auto inputs = static_cast<Eigen::Index>(m_layer.inputs);
    Eigen::MatrixXf x(inputs, kChunk);
    Eigen::MatrixXf rounded(inputs, kChunk);
    Eigen::Index filled = 0;
    for (std::size_t position = 0; position < positions(); position += step) {
      m_twin.copy(group, position, x.col(filled).data());
      m_quantized.copy(group, position, rounded.col(filled).data());
      if (++filled == x.cols()) take(x, rounded, filled, moments);
    }
    take(x, rounded, filled, moments);
    return moments;
  }

 private:
  void take(const Eigen::MatrixXf& x, const Eigen::MatrixXf& rounded, Eigen::Index& filled,
            GroupMoments& moments) const {
    const auto twin = x.leftCols(filled);
    const auto quantized = rounded.leftCols(filled);
    moments.columns += static_cast<double>(filled);
    moments.twinMean += twin.cast<double>().rowwise().sum();
    moments.quantizedMean += quantized.cast<double>().rowwise().sum();
    if (m_which == Moments::Products) {
      addProducts(rounded, rounded, filled, moments.gram);
      // By rows here, by columns there: what comes out is the transpose.
      addProducts(rounded, x, filled, moments.cross);
    }
    filled = 0;
  }

  // sum += b·aᵀ of the first columns.
  static void addProducts(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b, Eigen::Index columns,
                          Eigen::MatrixXd& sum) {
    const Eigen::Index inputs = a.rows();
    if (inputs < kSmall) {
      sum += (b.leftCols(columns) * a.leftCols(columns).transpose()).cast<double>();
      return;
    }
    Eigen::MatrixXf products(inputs, inputs);
    onednn::multiplyAtOnce({a.data(), true}, {b.data()}, products.data(), inputs, inputs, columns);
    sum += products.cast<double>();
  }

  const LinearLayer& m_layer;
  Moments m_which;
  LayerColumns m_twin;
  LayerColumns m_quantized;
};

std::size_t stepOf(std::size_t columns, const LinearLayer& layer, Moments which) {
  if (which == Moments::Means) return 1;
  const auto inputs = static_cast<double>(layer.inputs);
  const double affordable = kMostProducts / (inputs * inputs * static_cast<double>(layer.groups));
  const double wanted = std::max(affordable, static_cast<double>(kEnough) * inputs);
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(columns) / wanted));
}

}  // namespace

std::vector<GroupMoments> measureMoments(LayerPass& pass, const Engine& engine,
                                         const LinearLayer& layer, Moments which,
                                         const JobContext& job) {
  std::vector<GroupMoments> moments(layer.groups);
  for (GroupMoments& each : moments) prepare(each, layer.inputs, which);
  const std::size_t feeds = pass.feedCount();
  const auto window = static_cast<std::size_t>(job.workers().threads());
  std::size_t step = 0;
  for (std::size_t first = 0; first < feeds; first += window) {
    job.throwIfCancelled();
    const std::size_t count = std::min(window, feeds - first);
    std::vector<std::unique_ptr<FeedMoments>> parts(count);
    job.workers().forEach(count, [&](std::size_t i) {
      parts[i] = std::make_unique<FeedMoments>(engine, layer, pass.inputs(layer, first + i), which);
    });
    if (step == 0) step = stepOf(parts.front()->positions() * feeds, layer, which);
    std::vector<std::vector<GroupMoments>> sums(count);
    job.workers().forEach(count, [&](std::size_t i) {
      for (std::size_t group = 0; group < layer.groups; ++group) {
        sums[i].push_back(parts[i]->of(group, step));
      }
    });
    for (const std::vector<GroupMoments>& each : sums) {
      for (std::size_t group = 0; group < layer.groups; ++group) add(each[group], moments[group]);
    }
  }
  for (GroupMoments& each : moments) finish(each);
  return moments;
}

}  // namespace quantscope

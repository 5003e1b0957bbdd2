#include "repair/biases/layer_moments.h"

#include <algorithm>

#include "engine/onednn/sgemm.h"
#include "repair/rounding/layer_columns.h"

namespace quantscope {
namespace {

// Columns that are multiplied at once, in float, before double takes over.
constexpr std::size_t kChunk = 256;
// Below this a call of the library costs more than the product.
constexpr Eigen::Index kSmall = 48;
// Multiply-accumulates of a layer's products, for each of the two, at most; but never fewer columns
// than four times those that a fit needs.
constexpr double kMostMultiplications = 2e10;
constexpr std::size_t kEnough = 8;
// Cost of copying an element, in multiply-accumulates.
constexpr double kCopying = 64;

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
  FeedMoments(const Engine& engine, const LinearLayer& layer, const LayerInputs& inputs)
      : m_layer(layer),
        m_twin(engine, layer, inputs.twin),
        m_quantized(engine, layer, inputs.quantized) {}

  std::size_t positions() const { return std::min(m_twin.positions(), m_quantized.positions()); }

  std::vector<GroupMoments> means() const {
    const std::vector<double> x = m_twin.sums();
    const std::vector<double> rounded = m_quantized.sums();
    const auto inputs = static_cast<Eigen::Index>(m_layer.inputs);
    std::vector<GroupMoments> moments(m_layer.groups);
    for (std::size_t group = 0; group < m_layer.groups; ++group) {
      const std::size_t first = group * m_layer.inputs;
      moments[group].columns = static_cast<double>(positions());
      moments[group].twinMean = Eigen::Map<const Eigen::VectorXd>(x.data() + first, inputs);
      moments[group].quantizedMean =
          Eigen::Map<const Eigen::VectorXd>(rounded.data() + first, inputs);
    }
    return moments;
  }

  std::vector<GroupMoments> products(std::size_t step) {
    std::vector<GroupMoments> moments(m_layer.groups);
    for (GroupMoments& each : moments) prepare(each, m_layer.inputs, Moments::Products);
    // One block per group, with a column for each position.
    const std::size_t stride = m_layer.inputs * kChunk;
    std::vector<float> x(m_layer.groups * stride);
    std::vector<float> rounded(x.size());
    std::size_t filled = 0;
    const auto take = [&] {
      for (std::size_t group = 0; group < m_layer.groups; ++group) {
        const auto inputs = static_cast<Eigen::Index>(m_layer.inputs);
        const auto columns = static_cast<Eigen::Index>(filled);
        add({x.data() + group * stride, inputs, columns},
            {rounded.data() + group * stride, inputs, columns}, moments[group]);
      }
      filled = 0;
    };
    for (std::size_t position = 0; position < positions(); position += step) {
      m_twin.copy(position, x.data() + filled * m_layer.inputs, stride);
      m_quantized.copy(position, rounded.data() + filled * m_layer.inputs, stride);
      if (++filled == kChunk) take();
    }
    take();
    return moments;
  }

 private:
  using Columns = Eigen::Map<const Eigen::MatrixXf>;

  void add(const Columns& x, const Columns& rounded, GroupMoments& moments) const {
    moments.columns += static_cast<double>(x.cols());
    moments.twinMean += x.cast<double>().rowwise().sum();
    moments.quantizedMean += rounded.cast<double>().rowwise().sum();
    addProducts(rounded, rounded, moments.gram);
    addProducts(rounded, x, moments.cross);
  }

  // sum += b·aᵀ.
  static void addProducts(const Columns& a, const Columns& b, Eigen::MatrixXd& sum) {
    const Eigen::Index inputs = a.rows();
    if (inputs < kSmall) {
      sum += (b * a.transpose()).cast<double>();
      return;
    }
    // oneDNN is row-major and Eigen column-major, so the result is (a·bᵀ)ᵀ.
    Eigen::MatrixXf products(inputs, inputs);
    onednn::multiplyAtOnce({a.data(), true}, {b.data()}, products.data(), inputs, inputs, a.cols());
    sum += products.cast<double>();
  }

  const LinearLayer& m_layer;
  LayerColumns m_twin;
  LayerColumns m_quantized;
};

std::size_t stepOf(std::size_t columns, const LinearLayer& layer) {
  const auto inputs = static_cast<double>(layer.inputs);
  const double affordable =
      kMostMultiplications / (inputs * (inputs + kCopying) * static_cast<double>(layer.groups));
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
      parts[i] = std::make_unique<FeedMoments>(engine, layer, pass.inputs(layer, first + i));
    });
    if (step == 0) step = stepOf(parts.front()->positions() * feeds, layer);
    std::vector<std::vector<GroupMoments>> sums(count);
    job.workers().forEach(count, [&](std::size_t i) {
      sums[i] = which == Moments::Means ? parts[i]->means() : parts[i]->products(step);
    });
    for (const std::vector<GroupMoments>& each : sums) {
      for (std::size_t group = 0; group < layer.groups; ++group) add(each[group], moments[group]);
    }
  }
  for (GroupMoments& each : moments) {
    finish(each);
    each.positions = each.columns * (which == Moments::Means ? 1 : static_cast<double>(step));
  }
  return moments;
}

}  // namespace quantscope

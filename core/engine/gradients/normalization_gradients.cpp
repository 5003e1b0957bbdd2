// y = γ·x̂ + β, x̂ = r·(x − µ), r = 1/√(σ² + ε). Where µ and σ² are given, dx = γ·r·dy; where they
// are those of x itself, dx = r·(g − mean g − x̂·mean(g·x̂)) with g = γ·dy over the normalized
// elements.

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"

namespace quantscope {
namespace {

// [C] beside the channels of x.
Tensor perChannelOf(const Tensor& values, std::size_t rank) {
  Shape shape = Shape::filled(rank, 1);
  shape[1] = static_cast<std::int64_t>(values.elementCount());
  return values.reshaped(shape);
}

class BatchNormalizationGradient final : public Gradient {
 public:
  explicit BatchNormalizationGradient(const Node& node) : m_epsilon(node.real("epsilon", 1e-5F)) {
    if (node.integer("training_mode", 0) != 0 || node.integer("spatial", 1) == 0) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "a batch normalization with statistics of the batch or per position");
    }
  }

  bool readsInput(std::size_t index, Wanted wanted) const override {
    return index != 2 && (index != 0 || wanted[1] != 0 || wanted[4] != 0);
  }
  bool readsShape(std::size_t index) const override { return index != 0; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    visitRealType(call.type(), [&]<class T>() { runTyped<T>(call, results); });
  }

 private:
  template <class T>
  void runTyped(const GradientCall& call, std::span<Tensor> results) const {
    const Tensor& dy = call.cotangents[0];
    const std::size_t rank = dy.shape().rank();
    const std::span<const T> gain = call.inputs[1].values<T>();
    const std::span<const T> variance = call.inputs[4].values<T>();
    Tensor inverse(dy.type(), Shape{static_cast<std::int64_t>(gain.size())});
    Tensor factor(dy.type(), inverse.shape());
    for (std::size_t c = 0; c < gain.size(); ++c) {
      const T r = 1 / std::sqrt(variance[c] + static_cast<T>(m_epsilon));
      inverse.mutableValues<T>()[c] = r;
      factor.mutableValues<T>()[c] = gain[c] * r;
    }
    const Tensor scale = perChannelOf(factor, rank);
    if (call.wanted[0] != 0) {
      results[0] = mapBroadcast<T>(dy, scale, scale, [](T g, T s, T) { return g * s; });
    }
    const Tensor sum = sumOfChannels(dy);
    if (call.wanted[2] != 0) results[2] = sum;
    if (call.wanted[3] != 0) {
      results[3] = mapPairs<T>(sum, factor, [](T g, T s) { return -g * s; });
    }
    if (call.wanted[1] == 0 && call.wanted[4] == 0) return;
    // Σ dy·(x − µ)
    const Tensor mean = perChannelOf(call.inputs[3], rank);
    const Tensor products =
        mapBroadcast<T>(dy, call.inputs[0], mean, [](T g, T x, T m) { return g * (x - m); });
    const Tensor moment = sumOfChannels(products);
    if (call.wanted[1] != 0) {
      results[1] = mapPairs<T>(moment, inverse, [](T m, T r) { return m * r; });
    }
    if (call.wanted[4] != 0) {
      // ∂r/∂σ² = −r³/2
      const Tensor cubes = mapPairs<T>(factor, inverse, [](T s, T r) { return -s * r * r / 2; });
      results[4] = mapPairs<T>(moment, cubes, [](T m, T c) { return m * c; });
    }
  }

  float m_epsilon;
};

// Rows of `count` elements, each normalized by itself. `parameter` gives γ's place for an element
// of a row.
struct NormalizedRows {
  std::int64_t rows;
  std::int64_t count;
  double epsilon;
};

// Adds the contribution of one row: dx, and x̂·dy and dy to the sums behind γ's and β's cotangents.
template <class T, class Place>
void normalizeBackwards(const NormalizedRows& shape, std::int64_t row, const T* x, const T* dy,
                        const T* gain, const Place& place, T* dx, double* dGain, double* dBias) {
  double sum = 0;
  for (std::int64_t i = 0; i < shape.count; ++i) sum += static_cast<double>(x[i]);
  const double mean = sum / static_cast<double>(shape.count);
  double squares = 0;
  for (std::int64_t i = 0; i < shape.count; ++i) {
    const double centred = static_cast<double>(x[i]) - mean;
    squares += centred * centred;
  }
  const double r = 1 / std::sqrt(squares / static_cast<double>(shape.count) + shape.epsilon);
  double meanG = 0;
  double meanGx = 0;
  for (std::int64_t i = 0; i < shape.count; ++i) {
    const std::int64_t p = place(row, i);
    const double normal = (static_cast<double>(x[i]) - mean) * r;
    const double g = static_cast<double>(dy[i]) * static_cast<double>(gain[p]);
    meanG += g;
    meanGx += g * normal;
    dGain[p] += static_cast<double>(dy[i]) * normal;
    dBias[p] += static_cast<double>(dy[i]);
  }
  meanG /= static_cast<double>(shape.count);
  meanGx /= static_cast<double>(shape.count);
  for (std::int64_t i = 0; i < shape.count; ++i) {
    const double normal = (static_cast<double>(x[i]) - mean) * r;
    const double g = static_cast<double>(dy[i]) * static_cast<double>(gain[place(row, i)]);
    dx[i] = static_cast<T>(r * (g - meanG - normal * meanGx));
  }
}

template <class T>
Tensor tensorOfSums(const std::vector<double>& sums, const Shape& shape, ElementType type) {
  Tensor result(type, shape);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.mutableValues<T>()[i] = static_cast<T>(sums[i]);
  }
  return result;
}

// Instance, group and layer normalization: they differ in the elements of a row, and in the γ that
// belongs to an element.
template <class T, class Place>
void normalizationCotangents(const GradientCall& call, const NormalizedRows& rows,
                             const Place& place, std::span<Tensor> results) {
  const Tensor dy = call.plainCotangent(0);
  const Tensor x = call.plainInput(0);
  const Tensor gain = call.plainInput(1);
  Tensor dx(dy.type(), x.shape());
  std::vector<double> dGain(gain.elementCount());
  std::vector<double> dBias(gain.elementCount());
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::int64_t first = row * rows.count;
    normalizeBackwards<T>(rows, row, x.values<T>().data() + first, dy.values<T>().data() + first,
                          gain.values<T>().data(), place, dx.mutableValues<T>().data() + first,
                          dGain.data(), dBias.data());
  }
  if (call.wanted[0] != 0) results[0] = std::move(dx);
  if (call.wanted[1] != 0) results[1] = tensorOfSums<T>(dGain, gain.shape(), dy.type());
  if (call.wanted.size() > 2 && call.wanted[2] != 0) {
    results[2] = tensorOfSums<T>(dBias, gain.shape(), dy.type());
  }
}

class GroupwiseNormalizationGradient final : public Gradient {
 public:
  // `groups` 0 = one per channel.
  GroupwiseNormalizationGradient(const Node& node, std::int64_t groups)
      : m_groups(groups), m_epsilon(static_cast<double>(node.real("epsilon", 1e-5F))) {}

  bool readsInput(std::size_t index, Wanted /*wanted*/) const override { return index != 2; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Shape& x = call.inputShapes[0];
    const std::int64_t channels = x[1];
    const std::int64_t groups = m_groups == 0 ? channels : m_groups;
    const std::int64_t positions = x.elementCount(2, x.rank());
    const NormalizedRows rows{x[0] * groups, channels / groups * positions, m_epsilon};
    const std::int64_t perGain = channels / call.inputShapes[1].elementCount();
    const std::int64_t perGroup = channels / groups;
    const auto place = [=](std::int64_t row, std::int64_t i) {
      return (row % groups * perGroup + i / positions) / perGain;
    };
    visitRealType(call.type(),
                  [&]<class T>() { normalizationCotangents<T>(call, rows, place, results); });
  }

 private:
  std::int64_t m_groups;
  double m_epsilon;
};

class LayerNormalizationGradient final : public Gradient {
 public:
  explicit LayerNormalizationGradient(const Node& node)
      : m_axis(node.integer("axis", -1)),
        m_epsilon(static_cast<double>(node.real("epsilon", 1e-5F))) {}

  bool readsInput(std::size_t index, Wanted /*wanted*/) const override { return index != 2; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    if (!call.cotangents[0].defined() || call.cotangents.size() > 1) requireOnlyFirst(call);
    const Shape& x = call.inputShapes[0];
    const std::size_t axis = normalizeAxis(m_axis, x.rank());
    const NormalizedRows rows{x.elementCount(0, axis), x.elementCount(axis, x.rank()), m_epsilon};
    const bool single = call.inputShapes[1].elementCount() == 1;
    const auto place = [single](std::int64_t, std::int64_t i) {
      return single ? std::int64_t{0} : i;
    };
    visitRealType(call.type(),
                  [&]<class T>() { normalizationCotangents<T>(call, rows, place, results); });
  }

 private:
  static void requireOnlyFirst(const GradientCall& call) {
    for (std::size_t i = 1; i < call.cotangents.size(); ++i) {
      if (!call.cotangents[i].defined()) continue;
      throw Error(ErrorCode::UnsupportedOperation,
                  "the statistics of a layer normalization have no gradient");
    }
  }

  std::int64_t m_axis;
  double m_epsilon;
};

std::unique_ptr<Gradient> makeBatchNormalizationGradient(const Node& node, const Graph&) {
  return std::make_unique<BatchNormalizationGradient>(node);
}

std::unique_ptr<Gradient> makeInstanceNormalizationGradient(const Node& node, const Graph&) {
  return std::make_unique<GroupwiseNormalizationGradient>(node, 0);
}

std::unique_ptr<Gradient> makeGroupNormalizationGradient(const Node& node, const Graph&) {
  return std::make_unique<GroupwiseNormalizationGradient>(node, node.integer("num_groups", 1));
}

std::unique_ptr<Gradient> makeLayerNormalizationGradient(const Node& node, const Graph&) {
  return std::make_unique<LayerNormalizationGradient>(node);
}

}  // namespace

void registerNormalizationGradients(GradientRegistry& registry) {
  registry.add("BatchNormalization", makeBatchNormalizationGradient);
  registry.add("InstanceNormalization", makeInstanceNormalizationGradient);
  registry.add("GroupNormalization", makeGroupNormalizationGradient);
  registry.add("LayerNormalization", makeLayerNormalizationGradient);
}

}  // namespace quantscope

// Sliding windows: each output's cotangent goes to the element that was the largest of its window,
// or in equal shares to all of them.

#include <algorithm>
#include <vector>

#include "engine/gradients/gradient_registry.h"
#include "engine/operators/pooling/pooling_loops.h"

namespace quantscope {
namespace {

using PooledTaps = std::span<const WindowWalker::Tap>;

// Calls visit(position, taps, row of x's cotangent, row of y's, n · inputs) for every output row of
// channels-last tensors.
template <class T, class Visit>
Tensor scattered(const Shape& x, const Window& window, const Tensor& dy, const Visit& visit) {
  const Tensor g = toLayout(dy, Layout::ChannelsLast);
  Tensor result(dy.type(), x, Layout::ChannelsLast);
  std::ranges::fill(result.mutableValues<T>(), T{0});
  const std::int64_t channels = x[1];
  const std::int64_t inputs = x.elementCount(2, x.rank());
  const std::int64_t outputs = window.positions();
  const T* const from = g.values<T>().data();
  T* const to = result.mutableValues<T>().data();
  WindowWalker walker(window);
  for (std::int64_t position = 0; position < outputs; ++position) {
    const PooledTaps taps = walker.at(position);
    for (std::int64_t n = 0; n < x[0]; ++n) {
      visit(position, taps, n * inputs * channels, from + (n * outputs + position) * channels, to);
    }
  }
  return result;
}

// Puts `tap` down for the channels whose value is larger than any before.
template <class T>
void keepLarger(const T* values, std::int32_t tap, std::vector<std::int32_t>& best,
                std::vector<T>& largest) {
  std::int32_t* const taps = best.data();
  T* const most = largest.data();
  for (std::size_t c = 0; c < best.size(); ++c) {
    // A mask in place of a choice: the compiler makes no branch of it.
    const std::int32_t better = -static_cast<std::int32_t>(most[c] < values[c]);
    most[c] = std::max(most[c], values[c]);
    taps[c] = (taps[c] & ~better) | (tap & better);
  }
}

template <class T>
Tensor maxPoolCotangent(const Tensor& given, const Window& window, const Tensor& dy) {
  const Tensor source = toLayout(given, Layout::ChannelsLast);
  const std::int64_t channels = source.shape()[1];
  const T* const x = source.values<T>().data();
  const auto count = static_cast<std::size_t>(channels);
  // Of a float's width, so that the comparison is done for several channels at once.
  std::vector<std::int32_t> best(count);
  std::vector<T> largest(count);
  return scattered<T>(source.shape(), window, dy,
                      [&](std::int64_t, PooledTaps taps, std::int64_t image, const T* g, T* to) {
                        if (taps.empty()) return;
                        std::ranges::fill(best, 0);
                        std::copy_n(x + image + taps[0].source * channels, count, largest.data());
                        for (std::size_t i = 1; i < taps.size(); ++i) {
                          keepLarger(x + image + taps[i].source * channels,
                                     static_cast<std::int32_t>(i), best, largest);
                        }
                        for (std::size_t c = 0; c < count; ++c) {
                          const auto tap = static_cast<std::size_t>(best[c]);
                          to[image + taps[tap].source * channels + static_cast<std::int64_t>(c)] +=
                              g[c];
                        }
                      });
}

template <class T>
Tensor averagePoolCotangent(const Shape& x, const Window& window, bool countPadding,
                            const Tensor& dy) {
  const std::int64_t channels = x[1];
  const WindowWalker counter(window);
  return scattered<T>(
      x, window, dy,
      [&](std::int64_t position, PooledTaps taps, std::int64_t image, const T* g, T* to) {
        const auto seen = static_cast<std::int64_t>(taps.size());
        const std::int64_t count = countPadding ? counter.paddedTaps(position) : seen;
        const T share = 1 / static_cast<T>(std::max<std::int64_t>(1, count));
        for (const WindowWalker::Tap& tap : taps) {
          T* const row = to + image + tap.source * channels;
          for (std::int64_t c = 0; c < channels; ++c) row[c] += g[c] * share;
        }
      });
}

class PoolingGradient final : public Gradient {
 public:
  enum class Kind { Max, Average };

  PoolingGradient(const Node& node, Kind kind, bool global)
      : m_attributes(node),
        m_kind(kind),
        m_global(global),
        m_countPadding(node.integer("count_include_pad", 0) != 0) {}

  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override {
    return m_kind == Kind::Max;
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    if (call.wanted[0] == 0 || !dy.defined()) return;
    const Shape& x = call.inputShapes[0];
    const Window window =
        m_global ? globalWindow(x) : m_attributes.resolve(x, m_attributes.kernel());
    results[0] = visitRealType(dy.type(), [&]<class T>() {
      return m_kind == Kind::Max ? maxPoolCotangent<T>(call.inputs[0], window, dy)
                                 : averagePoolCotangent<T>(x, window, m_countPadding, dy);
    });
  }

 private:
  WindowAttributes m_attributes;
  Kind m_kind;
  bool m_global;
  bool m_countPadding;
};

template <PoolingGradient::Kind kind, bool global>
std::unique_ptr<Gradient> makePooling(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<PoolingGradient>(node, kind, global);
}

}  // namespace

void registerPoolingGradients(GradientRegistry& registry) {
  using Kind = PoolingGradient::Kind;
  registry.add("MaxPool", makePooling<Kind::Max, false>);
  registry.add("GlobalMaxPool", makePooling<Kind::Max, true>);
  registry.add("AveragePool", makePooling<Kind::Average, false>);
  registry.add("GlobalAveragePool", makePooling<Kind::Average, true>);
}

}  // namespace quantscope

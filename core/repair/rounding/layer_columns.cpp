#include "repair/rounding/layer_columns.h"

#include <algorithm>

#include "repair/rounding/window_sums.h"

namespace quantscope {

LayerColumns::LayerColumns(const Engine& engine, const LinearLayer& layer, const Tensor& data)
    : m_layer(layer), m_data(toLayout(data, Layout::Plain)) {
  if (!layer.window) {
    m_positions = m_data.elementCount() / layer.inputs;
    return;
  }
  if (layer.transposed) {
    spread(engine);
  } else {
    m_window = convolutionShapes(WindowAttributes(engine.graph()[layer.lead]),
                                 static_cast<std::int64_t>(layer.groups), m_data.shape(),
                                 weightOf(engine, layer).shape(), {})
                   .window;
  }
  m_walker.emplace(m_window);
  m_positions = static_cast<std::size_t>(m_window.positions() * m_data.shape()[0]);
}

// Puts zeros between the data, and finds the window that slides over that.
void LayerColumns::spread(const Engine& engine) {
  const Node& node = engine.graph()[m_layer.lead];
  const Tensor before = m_data;
  const Shape& shape = before.shape();
  const Window scatter =
      transposedConvolutionShapes(WindowAttributes(node), static_cast<std::int64_t>(m_layer.groups),
                                  node.integers("output_padding"), node.integers("output_shape"),
                                  shape, weightOf(engine, m_layer).shape(), {})
          .window;
  Shape spread{shape[0], shape[1]};
  for (const WindowAxis& axis : scatter.axes) {
    WindowAxis own;
    own.input = (axis.output - 1) * axis.stride + 1;
    own.kernel = axis.kernel;
    own.dilation = axis.dilation;
    own.padBegin = axis.span() - 1 - axis.padBegin;
    own.output = axis.input;
    own.padEnd = own.output + own.span() - 1 - own.input - own.padBegin;
    m_window.axes.push_back(own);
    spread.append(own.input);
  }
  m_data = Tensor::zeros(ElementType::Float32, spread);
  const Shape strides = rowMajorStrides(spread);
  const std::span<const float> elements = before.values<float>();
  const std::span<float> target = m_data.mutableValues<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::size_t place = 0;
    std::size_t rest = i;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(shape[axis]);
      const std::int64_t apart = axis < 2 ? 1 : scatter.axes[axis - 2].stride;
      place += rest % extent * static_cast<std::size_t>(strides[axis] * apart);
      rest /= extent;
    }
    target[place] = elements[i];
  }
}

void LayerColumns::copy(std::size_t position, float* columns, std::size_t stride) {
  const float* const data = m_data.values<float>().data();
  if (!m_walker) {
    std::copy_n(data + position * m_layer.inputs, m_layer.inputs, columns);
    return;
  }
  const auto perImage = static_cast<std::size_t>(m_window.positions());
  const auto taps = static_cast<std::size_t>(m_window.taps());
  const auto plane =
      static_cast<std::size_t>(m_data.shape().elementCount(2, m_data.shape().rank()));
  const std::size_t channels = m_layer.inputs / taps;
  const float* source = data + position / perImage * m_layer.groups * channels * plane;
  const auto inside = m_walker->at(static_cast<std::int64_t>(position % perImage));
  for (std::size_t group = 0; group < m_layer.groups; ++group) {
    float* column = columns + group * stride;
    if (inside.size() < taps) std::fill_n(column, m_layer.inputs, 0.0F);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (const WindowWalker::Tap& tap : inside) column[tap.tap] = source[tap.source];
      source += plane;
      column += taps;
    }
  }
}

std::vector<double> LayerColumns::sums() const {
  std::vector<double> sums(m_layer.groups * m_layer.inputs, 0.0);
  const std::span<const float> data = m_data.values<float>();
  if (!m_walker) {
    for (std::size_t first = 0; first < data.size(); first += m_layer.inputs) {
      for (std::size_t k = 0; k < m_layer.inputs; ++k) sums[k] += data[first + k];
    }
    return sums;
  }
  const auto taps = static_cast<std::size_t>(m_window.taps());
  const auto plane =
      static_cast<std::size_t>(m_data.shape().elementCount(2, m_data.shape().rank()));
  for (std::size_t first = 0, at = 0; first < data.size(); first += plane, at += taps) {
    const std::vector<double> seen = windowSums(m_window, data.subspan(first, plane));
    double* const into = sums.data() + at % sums.size();
    for (std::size_t tap = 0; tap < taps; ++tap) into[tap] += seen[tap];
  }
  return sums;
}

}  // namespace quantscope

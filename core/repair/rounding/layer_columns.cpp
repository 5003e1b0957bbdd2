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
  m_shapes = convolutionShapes(WindowAttributes(engine.graph()[layer.lead]),
                               static_cast<std::int64_t>(layer.groups), m_data.shape(),
                               weightOf(engine, layer).shape(), {});
  m_walker.emplace(m_shapes.window);
  m_positions = static_cast<std::size_t>(m_shapes.window.positions() * m_data.shape()[0]);
}

void LayerColumns::copy(std::size_t position, float* columns, std::size_t stride) {
  const float* const data = m_data.values<float>().data();
  if (!m_walker) {
    std::copy_n(data + position * m_layer.inputs, m_layer.inputs, columns);
    return;
  }
  const auto perImage = static_cast<std::size_t>(m_shapes.window.positions());
  const auto taps = static_cast<std::size_t>(m_shapes.window.taps());
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
  const auto taps = static_cast<std::size_t>(m_shapes.window.taps());
  const auto plane =
      static_cast<std::size_t>(m_data.shape().elementCount(2, m_data.shape().rank()));
  for (std::size_t first = 0, at = 0; first < data.size(); first += plane, at += taps) {
    const std::vector<double> seen = windowSums(m_shapes.window, data.subspan(first, plane));
    double* const into = sums.data() + at % sums.size();
    for (std::size_t tap = 0; tap < taps; ++tap) into[tap] += seen[tap];
  }
  return sums;
}

}  // namespace quantscope

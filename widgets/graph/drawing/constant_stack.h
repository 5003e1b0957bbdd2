#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cstddef>
#include <vector>

namespace quantscope {

/// The constants of one layer, piled up beside it, left of it where the drawing leads down and
/// above it where it leads to the right, joined to it by a common line. The layout takes the whole
/// for one box.
class ConstantStack {
 public:
  ConstantStack(const QSizeF& layer, bool leftToRight)
      : m_layer(layer), m_leftToRight(leftToRight) {}

  void add(const QSizeF& constant) { m_constants.push_back(constant); }

  QSizeF size() const;
  /// Offset of the layer's centre from the centre of the whole.
  QPointF layerOffset() const;
  /// The place of constant `index` and its way to the layer, where the layer stands at `layer`.
  QRectF rect(std::size_t index, const QRectF& layer) const;
  std::vector<QPointF> way(std::size_t index, const QRectF& layer) const;

 private:
  QSizeF pile() const;

  QSizeF m_layer;
  std::vector<QSizeF> m_constants;
  bool m_leftToRight = false;
};

}  // namespace quantscope

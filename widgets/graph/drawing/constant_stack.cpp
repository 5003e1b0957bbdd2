#include "widgets/graph/drawing/constant_stack.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr double kGap = 6;         // between two constants
constexpr double kBeside = 32;     // between the pile and the layer, with room for their line
constexpr double kAbove = 12;      // the same where the pile stands above
constexpr double kIndent = 24;     // of a pile above, with room for the line
constexpr double kLineInset = 12;  // of the line, from the layer's left

}  // namespace

QSizeF ConstantStack::pile() const {
  QSizeF size(0, -kGap);
  for (const QSizeF& constant : m_constants) {
    size.setWidth(std::max(size.width(), constant.width()));
    size.setHeight(size.height() + constant.height() + kGap);
  }
  return size;
}

QSizeF ConstantStack::size() const {
  const QSizeF pile = this->pile();
  if (m_leftToRight) {
    return {std::max(m_layer.width(), kIndent + pile.width()),
            pile.height() + kAbove + m_layer.height()};
  }
  return {pile.width() + kBeside + m_layer.width(), std::max(pile.height(), m_layer.height())};
}

QPointF ConstantStack::layerOffset() const {
  const QSizeF all = size();
  if (m_leftToRight) {
    return {(m_layer.width() - all.width()) / 2, (all.height() - m_layer.height()) / 2};
  }
  return {(all.width() - m_layer.width()) / 2, 0};
}

QRectF ConstantStack::rect(std::size_t index, const QRectF& layer) const {
  const QSizeF pile = this->pile();
  double top =
      m_leftToRight ? layer.top() - kAbove - pile.height() : layer.center().y() - pile.height() / 2;
  for (std::size_t i = 0; i < index; ++i) top += m_constants[i].height() + kGap;
  const QSizeF& size = m_constants[index];
  // Against the line.
  const double left =
      m_leftToRight ? layer.left() + kIndent : layer.left() - kBeside - size.width();
  return {QPointF(left, top), size};
}

std::vector<QPointF> ConstantStack::way(std::size_t index, const QRectF& layer) const {
  const QRectF constant = rect(index, layer);
  const double y = constant.center().y();
  if (m_leftToRight) {
    const double line = layer.left() + kLineInset;
    return {{constant.left(), y}, {line, y}, {line, layer.top()}};
  }
  const double line = layer.left() - kBeside / 2;
  return {{constant.right(), y},
          {line, y},
          {line, layer.center().y()},
          {layer.left(), layer.center().y()}};
}

}  // namespace quantscope

#include "widgets/graph/painting/box_painter.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <vector>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr double kRadius = 7;
constexpr double kStripe = 6;
constexpr double kPadding = 12;
constexpr int kTitleSize = 13;  // of letters, in scene pixels
constexpr int kNameSize = 11;
constexpr int kLargestType = 26;  // letters of the middle level

QColor faded(QColor colour, double opacity) {
  colour.setAlphaF(static_cast<float>(opacity));
  return colour;
}

QFont fontOf(const GraphLooks& looks, int size, bool bold) {
  QFont font = looks.font;
  // Widths have to grow with the scale exactly, or texts would be cut at some scales only.
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setPixelSize(size);
  font.setBold(bold);
  return font;
}

class BoxPainter {
 public:
  BoxPainter(QPainter& painter, const DrawnBox& box, const BoxLook& look, const GraphLooks& looks,
             const GraphDetail& detail)
      : m_painter(painter),
        m_box(box),
        m_look(look),
        m_looks(looks),
        m_theme(looks.theme),
        m_detail(detail) {}

  void paint() const {
    switch (m_box.kind) {
      case DrawnBox::Kind::Layer:
        card();
        break;
      case DrawnBox::Kind::Scope:
      case DrawnBox::Kind::Body:
        pile();
        card();
        if (m_detail.names > 0) plus();
        break;
      case DrawnBox::Kind::DataMover:
        pill(m_theme.raised, m_look.position < 0 ? m_theme.border : m_look.fill, Qt::SolidLine);
        label(m_theme.mutedText, kNameSize, false);
        break;
      case DrawnBox::Kind::Input:
      case DrawnBox::Kind::Output:
        pill(m_theme.mutedText, m_theme.mutedText, Qt::SolidLine);
        label(m_theme.surface, kNameSize, true);
        break;
      case DrawnBox::Kind::Constant:
        pill(m_theme.surface, m_theme.hatch, Qt::DashLine);
        label(m_theme.mutedText, kNameSize, false);
        break;
    }
  }

 private:
  void rounded(const QRectF& rect, double radius) const {
    if (m_detail.fine) {
      m_painter.drawRoundedRect(rect, radius, radius);
    } else {
      m_painter.drawRect(rect);
    }
  }

  // A second card that looks out below: there is more behind this one.
  void pile() const {
    if (!m_detail.fine) return;
    m_painter.setPen(QPen(m_theme.border, 1));
    m_painter.setBrush(mixed(m_theme.raised, m_theme.border, 0.5));
    rounded(m_box.rect.adjusted(5, 5, -5, 4), kRadius);
  }

  void card() const {
    const bool coloured = m_look.position >= 0;
    m_painter.setPen(m_detail.fine ? QPen(edgeColour(), 1) : QPen(Qt::NoPen));
    // Too small for patterns: boxes without a colour are grey.
    const QColor grey = mixed(m_theme.surface, m_theme.hatch, 0.6);
    m_painter.setBrush(coloured || m_detail.fine ? m_look.fill : grey);
    rounded(m_box.rect, kRadius);
    if (!coloured && m_look.figure && m_detail.fine) {
      QBrush absence = absenceBrush(m_look.figure->kind, m_theme);
      QColor lines = absence.color();
      lines.setAlphaF(0.45F);
      absence.setColor(lines);
      m_painter.setBrush(absence);
      m_painter.setPen(Qt::NoPen);
      rounded(m_box.rect, kRadius);
    }
    if (m_look.precision && m_detail.fine) stripe();
    if (m_detail.operators > 0) largeType();
    if (m_detail.names > 0) names();
  }

  QColor edgeColour() const {
    return m_look.position >= 0 ? mixed(m_look.fill, m_theme.text, m_theme.dark ? 0.0 : 0.18)
                                : m_theme.hatch;
  }

  // Sits in a gutter of the surface's colour: types have to be told apart on every error colour.
  void stripe() const {
    const QRectF gutter(m_box.rect.left(), m_box.rect.top(), kStripe + 4, m_box.rect.height());
    m_painter.save();
    m_painter.setClipRect(gutter, Qt::IntersectClip);
    m_painter.setPen(QPen(edgeColour(), 1));
    m_painter.setBrush(m_theme.surface);
    rounded(m_box.rect, kRadius);
    m_painter.restore();
    const QRectF bar = gutter.adjusted(3, 7, -2, -7);
    paintPrecision(m_painter, bar, *m_look.precision, m_theme);
    if (m_look.overridden) notch(bar);
  }

  // Cut into the stripe of a layer with an entry of its own.
  void notch(const QRectF& bar) const {
    const double middle = bar.center().y();
    const double half = 1.2 * bar.width();
    const QPointF corners[] = {{bar.right() + 0.5, middle - half},
                               {bar.left() + 1.5, middle},
                               {bar.right() + 0.5, middle + half}};
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_theme.surface);
    m_painter.drawPolygon(QPolygonF{corners[0] + QPointF(1, 0), corners[0], corners[1], corners[2],
                                    corners[2] + QPointF(1, 0)});
    m_painter.setPen(QPen(m_theme.precision(*m_look.precision), 1));
    m_painter.drawPolyline(corners, 3);
  }

  void pill(const QColor& fill, const QColor& border, Qt::PenStyle style) const {
    m_painter.setPen(m_detail.fine ? QPen(border, 1.5, style) : QPen(Qt::NoPen));
    m_painter.setBrush(m_detail.fine ? fill : border);
    rounded(m_box.rect, cornerRadius(m_box));
  }

  void write(const QRectF& rect, int flags, const QString& words, const QFont& font,
             const QColor& colour, double opacity, Qt::TextElideMode elide = Qt::ElideRight) const {
    const QFontMetricsF metrics(font);
    m_painter.setFont(font);
    m_painter.setPen(faded(colour, opacity));
    m_painter.drawText(rect, flags | Qt::TextSingleLine,
                       metrics.elidedText(words, elide, rect.width()));
  }

  void label(const QColor& colour, int size, bool bold) const {
    const double opacity = std::max(m_detail.names, m_detail.operators);
    if (opacity <= 0) return;
    write(m_box.rect.adjusted(10, 0, -10, 0), Qt::AlignCenter, m_box.title,
          fontOf(m_looks, size, bold), colour, opacity, Qt::ElideMiddle);
  }

  QRectF textArea() const {
    const double left = m_look.precision ? kStripe + kPadding : kPadding;
    return m_box.rect.adjusted(left, 6, -kPadding, -6);
  }

  QString figureText() const {
    if (!m_look.figure) return {};
    if (m_look.figure->kind != Figure::Kind::Value) return QStringLiteral("–");
    const QString figure = withUnit(m_look.figure->value, m_looks.unit);
    if (!m_looks.differences) return figure;
    return QStringLiteral("Δ ") + (m_look.figure->value > 0 ? u'+' + figure : figure);
  }

  void names() const {
    const QRectF area = textArea();
    const QRectF button = expandButton(m_box);
    const QFont small = fontOf(m_looks, kNameSize, false);
    const QString figure = figureText();
    const double figureWidth = QFontMetricsF(small).horizontalAdvance(figure) + 4;
    const double middle = area.center().y();
    const QRectF top(area.left(), area.top(),
                     area.width() - (button.isEmpty() ? 0 : button.width()), middle - area.top());
    const QRectF below(area.left(), middle, area.width() - figureWidth - 6, area.bottom() - middle);
    const QRectF number(area.right() - figureWidth, middle, figureWidth, area.bottom() - middle);
    write(top, Qt::AlignLeft | Qt::AlignVCenter, m_box.title, fontOf(m_looks, kTitleSize, true),
          m_look.ink, m_detail.names);
    write(below, Qt::AlignLeft | Qt::AlignVCenter, m_box.subtitle, small, m_look.ink,
          m_detail.names, Qt::ElideMiddle);
    write(number, Qt::AlignRight | Qt::AlignVCenter, figure, small, m_look.ink, m_detail.names,
          Qt::ElideNone);
  }

  // The leading operator, as large as the box allows.
  void largeType() const {
    const QString words = m_box.title.section(QStringLiteral(" + "), 0, 0);
    const QRectF area = textArea();
    const double width =
        QFontMetricsF(fontOf(m_looks, kLargestType, true)).horizontalAdvance(words);
    const int fitting = static_cast<int>(kLargestType * area.width() / std::max(width, 1.0));
    const int size = std::clamp(fitting, kTitleSize, kLargestType);
    write(area, Qt::AlignCenter, words, fontOf(m_looks, size, true), m_look.ink,
          m_detail.operators);
  }

  void plus() const {
    const QRectF button = expandButton(m_box);
    m_painter.setPen(QPen(faded(m_look.ink, m_detail.names * 0.8), 1.4));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRoundedRect(button.adjusted(1, 1, -1, -1), 4, 4);
    const QPointF centre = button.center();
    m_painter.drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0));
    m_painter.drawLine(centre - QPointF(0, 3.5), centre + QPointF(0, 3.5));
  }

  QPainter& m_painter;
  const DrawnBox& m_box;
  const BoxLook& m_look;
  const GraphLooks& m_looks;
  const Theme& m_theme;
  const GraphDetail& m_detail;
};

int piecesOf(QuantType type) {
  switch (bitWidth(type)) {
    case 16:
      return 2;
    case 4:
      return 4;
    case 2:
      return 8;
    default:
      return 1;
  }
}

// The bar from top to bottom, with gaps between.
std::vector<QRectF> piecesOf(const QRectF& bar, int count) {
  constexpr double kGap = 2;
  const double height = (bar.height() - kGap * (count - 1)) / count;
  std::vector<QRectF> pieces;
  for (int i = 0; i < count; ++i) {
    pieces.emplace_back(bar.left(), bar.top() + i * (height + kGap), bar.width(), height);
  }
  return pieces;
}

void paintHollow(QPainter& painter, const QRectF& bar, QuantType type, const QColor& colour) {
  if (type == QuantType::Float8E4M3 || type == QuantType::Float8E5M2) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(bar.adjusted(0, bar.height() / 2, 0, 0), 2, 2);
  }
  painter.setPen(QPen(colour, 1));
  painter.setBrush(Qt::NoBrush);
  for (const QRectF& piece : piecesOf(bar, piecesOf(type))) {
    painter.drawRoundedRect(piece.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
  }
}

void paintDots(QPainter& painter, const QRectF& bar, int count, const QColor& colour) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  for (const QRectF& piece : piecesOf(bar, count)) {
    const double radius = std::min(piece.width(), piece.height()) / 2;
    painter.drawEllipse(piece.center(), radius, radius);
  }
}

}  // namespace

void paintBox(QPainter& painter, const DrawnBox& box, const BoxLook& look, const GraphLooks& looks,
              const GraphDetail& detail) {
  BoxPainter(painter, box, look, looks, detail).paint();
}

void paintFrame(QPainter& painter, const DrawnFrame& frame, const GraphLooks& looks,
                const GraphDetail& detail) {
  const Theme& theme = looks.theme;
  painter.setPen(QPen(theme.border, std::max(1.0, 0.6 / detail.scale)));
  painter.setBrush(faded(theme.mutedText, 0.05));
  const double radius = detail.fine ? kRadius + 3 : 0;
  painter.drawRoundedRect(frame.rect, radius, radius);
}

void paintFrameTitle(QPainter& painter, const DrawnFrame& frame, const GraphLooks& looks,
                     const GraphDetail& detail) {
  const Theme& theme = looks.theme;
  const double opacity = std::max(detail.names, detail.operators);
  if (opacity <= 0) return;
  const QRectF button = collapseButton(frame);
  painter.setPen(QPen(faded(theme.mutedText, opacity), 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(button.adjusted(1, 1, -1, -1), 4, 4);
  painter.drawLine(button.center() - QPointF(3.5, 0), button.center() + QPointF(3.5, 0));
  const QFont font = fontOf(looks, kNameSize, true);
  const QRectF area = titleBar(frame).adjusted(button.width() + 14, 0, -8, 0);
  painter.setFont(font);
  painter.setPen(faded(theme.mutedText, opacity));
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   QFontMetricsF(font).elidedText(frame.title, Qt::ElideMiddle, area.width()));
}

double cornerRadius(const DrawnBox& box) {
  switch (box.kind) {
    case DrawnBox::Kind::Layer:
    case DrawnBox::Kind::Scope:
    case DrawnBox::Kind::Body:
      return kRadius;
    default:
      return box.rect.height() / 2;
  }
}

void paintPrecision(QPainter& painter, const QRectF& bar, QuantType type, const Theme& theme) {
  const QColor colour = theme.precision(type);
  if (isSignCode(type)) return paintDots(painter, bar, levelCount(type), colour);
  if (!isInteger(type)) return paintHollow(painter, bar, type, colour);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  for (const QRectF& piece : piecesOf(bar, piecesOf(type))) {
    painter.drawRoundedRect(piece, 1.5, 1.5);
  }
}

}  // namespace quantscope

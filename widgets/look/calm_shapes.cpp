#include "widgets/look/calm_shapes.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QStyleOption>
#include <algorithm>

#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr qreal kRadius = 5;

// Tabs below their page, as those of docks: the line between them is then above.
bool isBelow(QTabBar::Shape shape) {
  return shape == QTabBar::RoundedSouth;
}

class Saved {
 public:
  explicit Saved(QPainter& painter) : m_painter(painter) { painter.save(); }
  ~Saved() { m_painter.restore(); }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

 private:
  QPainter& m_painter;
};

}  // namespace

CalmShapes::CalmShapes(QPainter& painter, const QStyleOption& option)
    : m_painter(painter), m_option(option), m_theme(Theme::of(option.palette)) {}

bool CalmShapes::isPrimary(const QStyleOptionButton& button) {
  return button.features.testFlag(QStyleOptionButton::DefaultButton) &&
         button.state.testFlag(QStyle::State_Enabled);
}

QPalette CalmShapes::menuPalette(QPalette palette) {
  const Theme& theme = Theme::of(palette);
  palette.setColor(QPalette::Highlight, theme.selected());
  palette.setColor(QPalette::HighlightedText, theme.text);
  return palette;
}

bool CalmShapes::is(QStyle::StateFlag flag) const {
  return m_option.state.testFlag(flag);
}

QColor CalmShapes::veil(int strength) const {
  QColor colour = m_theme.text;
  colour.setAlpha(strength);
  return colour;
}

QColor CalmShapes::accentVeil(int strength) const {
  QColor colour = m_theme.accent;
  colour.setAlpha(strength);
  return colour;
}

void CalmShapes::rounded(const QRectF& rect, const QColor& fill, const QColor& line,
                         qreal radius) const {
  const Saved saved(m_painter);
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setBrush(fill);
  m_painter.setPen(line.isValid() ? QPen(line, 1) : QPen(Qt::NoPen));
  m_painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

void CalmShapes::toolButton() const {
  const QRectF rect = m_option.rect;
  const bool live = is(QStyle::State_Enabled);
  if (is(QStyle::State_On)) {
    rounded(rect, accentVeil(m_theme.dark ? 56 : 32), accentVeil(120), kRadius);
  } else if (live && is(QStyle::State_Sunken)) {
    rounded(rect, veil(36), {}, kRadius);
  } else if (live && is(QStyle::State_MouseOver)) {
    rounded(rect, veil(20), {}, kRadius);
  }
  if (is(QStyle::State_HasFocus) && is(QStyle::State_KeyboardFocusChange)) focusRing();
}

void CalmShapes::pushButton() const {
  const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&m_option);
  const bool primary = button != nullptr && isPrimary(*button);
  QColor fill = primary ? m_theme.accent : m_theme.raised;
  if (is(QStyle::State_Sunken)) {
    fill = primary ? fill.darker(115) : m_theme.border;
  } else if (is(QStyle::State_MouseOver) && is(QStyle::State_Enabled)) {
    fill = primary ? fill.lighter(108) : (m_theme.dark ? fill.lighter(120) : fill.darker(104));
  }
  const bool focus = is(QStyle::State_HasFocus);
  rounded(m_option.rect, fill, focus ? m_theme.accent : (primary ? fill : m_theme.border), kRadius);
  if (focus && primary) {
    QColor ring = m_theme.onAccent;
    ring.setAlpha(180);
    rounded(QRectF(m_option.rect).adjusted(2, 2, -2, -2), Qt::transparent, ring, kRadius - 2);
  }
}

// Its frame stands out on every surface, or an empty one could not be seen.
void CalmShapes::checkBox() const {
  const bool live = is(QStyle::State_Enabled);
  const bool on = is(QStyle::State_On);
  const bool some = is(QStyle::State_NoChange);
  const int side = std::min({16, m_option.rect.width(), m_option.rect.height()});
  QRectF box(0, 0, side, side);
  box.moveCenter(QRectF(m_option.rect).center());
  const QColor full = live ? m_theme.accent : veil(90);
  const QColor line = live ? veil(is(QStyle::State_MouseOver) ? 200 : 130) : veil(60);
  rounded(box, on || some ? full : m_theme.surface, on || some ? full : line, 3);
  if (!on && !some) return;
  const Saved saved(m_painter);
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setPen(QPen(live ? m_theme.onAccent : m_theme.surface, side / 8.0, Qt::SolidLine,
                        Qt::RoundCap, Qt::RoundJoin));
  const auto at = [&box](double x, double y) {
    return box.topLeft() + QPointF(x * box.width(), y * box.height());
  };
  if (some) {
    m_painter.drawLine(at(0.28, 0.5), at(0.72, 0.5));
  } else {
    m_painter.drawPolyline(QPolygonF{at(0.26, 0.53), at(0.43, 0.7), at(0.75, 0.32)});
  }
}

void CalmShapes::comboBox() const {
  const bool hot = is(QStyle::State_MouseOver) && is(QStyle::State_Enabled);
  const bool focus = is(QStyle::State_HasFocus);
  rounded(m_option.rect, hot ? m_theme.raised : m_theme.surface,
          focus ? m_theme.accent : m_theme.border, kRadius);
  constexpr int kArrow = 14;
  const QRect arrow(m_option.rect.right() - kArrow - 6, m_option.rect.center().y() - kArrow / 2 + 1,
                    kArrow, kArrow);
  icon(QStringLiteral("next"))
      .paint(&m_painter, arrow, Qt::AlignCenter,
             is(QStyle::State_Enabled) ? QIcon::Normal : QIcon::Disabled);
}

void CalmShapes::spinBox(const QRect& up, const QRect& down,
                         QAbstractSpinBox::StepEnabled steps) const {
  fieldFrame();
  const Saved saved(m_painter);
  m_painter.setRenderHint(QPainter::Antialiasing);
  const auto arrow = [this](const QRect& rect, int tip, bool live) {
    const QPointF centre = QRectF(rect).center();
    const QPolygonF line{centre + QPointF(-3, tip), centre + QPointF(0, -tip),
                         centre + QPointF(3, tip)};
    m_painter.setPen(QPen(live ? m_theme.text : m_theme.border, 1.4));
    m_painter.drawPolyline(line);
  };
  arrow(up, 1, steps.testFlag(QAbstractSpinBox::StepUpEnabled));
  arrow(down, -1, steps.testFlag(QAbstractSpinBox::StepDownEnabled));
}

void CalmShapes::field(const QStyle& style, const QWidget* widget) const {
  const auto* panel = qstyleoption_cast<const QStyleOptionFrame*>(&m_option);
  if (panel != nullptr && panel->lineWidth > 0) {
    style.drawPrimitive(QStyle::PE_FrameLineEdit, &m_option, &m_painter, widget);
    return;
  }
  m_painter.fillRect(m_option.rect, m_option.palette.brush(QPalette::Base));
}

void CalmShapes::fieldFrame() const {
  rounded(m_option.rect, m_option.palette.color(QPalette::Base),
          is(QStyle::State_HasFocus) ? m_theme.accent : m_theme.border, kRadius);
}

void CalmShapes::frame() const {
  const Saved saved(m_painter);
  m_painter.setBrush(Qt::NoBrush);
  m_painter.setPen(is(QStyle::State_HasFocus) ? m_theme.accent : m_theme.border);
  m_painter.drawRect(QRectF(m_option.rect).adjusted(0.5, 0.5, -0.5, -0.5));
}

// Tinted, not filled: colours that mean something stay readable on it.
void CalmShapes::viewItem() const {
  const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(&m_option);
  if (item == nullptr) return;
  if (is(QStyle::State_Selected)) {
    m_painter.fillRect(item->rect, m_theme.selected());
  } else if (item->backgroundBrush.style() != Qt::NoBrush) {
    m_painter.fillRect(item->rect, item->backgroundBrush);
  }
}

void CalmShapes::focusRing() const {
  const Saved saved(m_painter);
  m_painter.setRenderHint(QPainter::Antialiasing);
  m_painter.setBrush(Qt::NoBrush);
  m_painter.setPen(QPen(m_theme.accent, 1.5));
  m_painter.drawRoundedRect(QRectF(m_option.rect).adjusted(1, 1, -1, -1), 3, 3);
}

void CalmShapes::toolBarSeparator() const {
  const QRect rect = m_option.rect;
  if (is(QStyle::State_Horizontal)) {
    m_painter.fillRect(QRect(rect.center().x(), rect.top() + 7, 1, rect.height() - 14),
                       m_theme.border);
  } else {
    m_painter.fillRect(QRect(rect.left() + 7, rect.center().y(), rect.width() - 14, 1),
                       m_theme.border);
  }
}

void CalmShapes::tabBarBase() const {
  const QRect rect = m_option.rect;
  const auto* base = qstyleoption_cast<const QStyleOptionTabBarBase*>(&m_option);
  const int line = base != nullptr && isBelow(base->shape) ? rect.top() : rect.bottom();
  m_painter.fillRect(QRect(rect.left(), line, rect.width(), 1), m_theme.border);
}

void CalmShapes::tip() const {
  m_painter.fillRect(m_option.rect, m_theme.border);
  m_painter.fillRect(m_option.rect.adjusted(1, 1, -1, -1), m_theme.raised);
}

void CalmShapes::handle() const {
  const QRect rect = m_option.rect;
  m_painter.fillRect(rect, m_theme.window);
  const QColor line = is(QStyle::State_MouseOver) ? m_theme.accent : m_theme.border;
  if (rect.width() < rect.height()) {
    m_painter.fillRect(QRect(rect.center().x(), rect.top(), 1, rect.height()), line);
  } else {
    m_painter.fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), line);
  }
}

void CalmShapes::bar() const {
  plain();
  m_painter.fillRect(QRect(m_option.rect.left(), m_option.rect.bottom(), m_option.rect.width(), 1),
                     m_theme.border);
}

void CalmShapes::plain() const {
  m_painter.fillRect(m_option.rect, m_theme.window);
}

void CalmShapes::menuBarItem(const QStyle& style) const {
  const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(&m_option);
  if (item == nullptr) return;
  plain();
  const bool open = is(QStyle::State_Selected) || is(QStyle::State_Sunken);
  if (open && is(QStyle::State_Enabled)) {
    rounded(QRectF(item->rect).adjusted(1, 2, -1, -2), veil(is(QStyle::State_Sunken) ? 32 : 20), {},
            kRadius);
  }
  style.drawItemText(&m_painter, item->rect, Qt::AlignCenter | Qt::TextShowMnemonic, item->palette,
                     is(QStyle::State_Enabled), item->text, QPalette::ButtonText);
}

void CalmShapes::tab() const {
  const QRect rect = m_option.rect;
  const bool selected = is(QStyle::State_Selected);
  m_painter.fillRect(rect, selected ? m_theme.surface : m_theme.window);
  if (!selected && is(QStyle::State_MouseOver)) m_painter.fillRect(rect, veil(14));
  const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(&m_option);
  const bool below = tab != nullptr && isBelow(tab->shape);
  const int line = below ? rect.top() : rect.bottom();
  if (selected) {
    m_painter.fillRect(QRect(rect.left(), below ? line : line - 1, rect.width(), 2),
                       m_theme.accent);
  } else {
    m_painter.fillRect(QRect(rect.left(), line, rect.width(), 1), m_theme.border);
  }
  if (is(QStyle::State_HasFocus) && is(QStyle::State_KeyboardFocusChange)) focusRing();
}

void CalmShapes::headerSection() const {
  const QRect rect = m_option.rect;
  m_painter.fillRect(rect, m_theme.raised);
  if (is(QStyle::State_MouseOver)) m_painter.fillRect(rect, veil(14));
  m_painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), m_theme.border);
  m_painter.fillRect(QRect(rect.right(), rect.top() + 4, 1, rect.height() - 8), m_theme.border);
}

void CalmShapes::dockTitle(const QStyle& style, const QWidget* widget) const {
  const QRect rect = m_option.rect;
  m_painter.fillRect(rect, m_theme.window);
  m_painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), m_theme.border);
  const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(&m_option);
  if (dock == nullptr || dock->title.isEmpty()) return;
  const Saved saved(m_painter);
  QFont font = m_painter.font();
  font.setWeight(QFont::DemiBold);
  m_painter.setFont(font);
  m_painter.setPen(m_theme.mutedText);
  const QRect words = style.subElementRect(QStyle::SE_DockWidgetTitleBarText, &m_option, widget)
                          .adjusted(4, 0, 0, 0);
  m_painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(font).elidedText(dock->title, Qt::ElideRight, words.width()));
}

void CalmShapes::progressGroove() const {
  const QRectF rect(m_option.rect.left(), m_option.rect.center().y() - 2, m_option.rect.width(), 5);
  rounded(rect, m_theme.border, {}, 2.5);
}

void CalmShapes::progressContents() const {
  const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(&m_option);
  if (bar == nullptr) return;
  const QRectF whole(bar->rect.left(), bar->rect.center().y() - 2, bar->rect.width(), 5);
  const int range = bar->maximum - bar->minimum;
  if (range <= 0) {
    rounded(whole.adjusted(whole.width() / 3, 0, -whole.width() / 3, 0), m_theme.accent, {}, 2.5);
    return;
  }
  const double share = static_cast<double>(bar->progress - bar->minimum) / range;
  if (share <= 0) return;
  rounded(QRectF(whole.left(), whole.top(), std::max(5.0, whole.width() * share), whole.height()),
          m_theme.accent, {}, 2.5);
}

void CalmShapes::scrollBar(const QRect& handle, bool upright) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(&m_option);
  m_painter.fillRect(m_option.rect, m_theme.surface);
  if (handle.isEmpty()) return;
  const bool grabbed =
      is(QStyle::State_Sunken) && bar->activeSubControls.testFlag(QStyle::SC_ScrollBarSlider);
  const int inset = is(QStyle::State_MouseOver) || grabbed ? 2 : 3;
  const QRectF thin = upright ? QRectF(handle).adjusted(inset, 2, -inset, -2)
                              : QRectF(handle).adjusted(2, inset, -2, -inset);
  rounded(thin, veil(grabbed ? 140 : (is(QStyle::State_MouseOver) ? 110 : 70)), {}, 4);
}

}  // namespace quantscope

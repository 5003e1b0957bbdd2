#include "widgets/controls/elided_label.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* copy = new QAction(tr("Copy Name"), this);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(m_text); });
  addAction(copy);
}

void ElidedLabel::setText(const QString& text) {
  m_text = text;
  setToolTip(toolTipText(text));
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  update();
}

QSize ElidedLabel::sizeHint() const {
  return {fontMetrics().horizontalAdvance(m_text), fontMetrics().height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const {
  return {40, sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setPen(foregroundRole() == QPalette::PlaceholderText ? theme.mutedText : theme.text);
  painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft,
                   fontMetrics().elidedText(m_text, Qt::ElideMiddle, width()));
  if (!hasFocus()) return;
  painter.setPen(theme.accent);
  painter.drawLine(0, height() - 1, width(), height() - 1);
}

}  // namespace quantscope

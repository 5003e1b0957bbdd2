#include "widgets/heatmap/mode_switch.h"

#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

#include "widgets/look/theme.h"

namespace quantscope {

ModeSwitch::ModeSwitch(const QList<Mode>& modes, QWidget* parent)
    : QWidget(parent), m_buttons(new QButtonGroup(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (const Mode& mode : modes) {
    auto* button = new QToolButton;
    button->setText(mode.title);
    button->setToolTip(mode.tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    const auto index = static_cast<int>(m_buttons->buttons().size());
    button->setProperty("first", index == 0);
    button->setProperty("last", index + 1 == modes.size());
    m_buttons->addButton(button, index);
    layout->addWidget(button);
  }
  m_buttons->button(0)->setChecked(true);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(m_buttons, &QButtonGroup::idToggled, this, [this](int mode, bool on) {
    if (on) Q_EMIT changed(mode);
  });
  dress();
}

int ModeSwitch::current() const {
  return m_buttons->checkedId();
}

void ModeSwitch::setCurrent(int mode) {
  m_buttons->button(mode)->setChecked(true);
}

void ModeSwitch::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) dress();
}

void ModeSwitch::dress() {
  const Theme& theme = Theme::of(palette());
  const QString style =
      QStringLiteral(
          "QToolButton { background: %1; color: %2; border: 1px solid %3; border-left-width: 0;"
          " padding: 4px 12px; }"
          "QToolButton[first=\"true\"] { border-left-width: 1px; border-top-left-radius: 4px;"
          " border-bottom-left-radius: 4px; }"
          "QToolButton[last=\"true\"] { border-top-right-radius: 4px;"
          " border-bottom-right-radius: 4px; }"
          "QToolButton:hover { background: %6; }"
          "QToolButton:checked { background: %4; color: %5; border-color: %4; }"
          "QToolButton:focus { border: 1px solid %2; }")
          .arg(theme.surface.name(), theme.text.name(), theme.border.name(), theme.accent.name(),
               theme.onAccent.name(), theme.raised.name());
  if (style != styleSheet()) setStyleSheet(style);
}

}  // namespace quantscope

#include "widgets/configuration/preset_box.h"

#include <QStylePainter>

namespace quantscope {

PresetBox::PresetBox(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(8);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void PresetBox::setSuffix(const QString& suffix) {
  m_suffix = suffix;
  setAccessibleDescription(shownText());
  update();
}

QString PresetBox::shownText() const {
  return (currentIndex() < 0 ? placeholderText() : currentText()) + m_suffix;
}

void PresetBox::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  const int room =
      style()
          ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this)
          .width();
  option.currentText = fontMetrics().elidedText(shownText(), Qt::ElideMiddle, room);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace quantscope

#include "widgets/controls/wrapped_label.h"

#include <QEvent>

namespace quantscope {

WrappedLabel::WrappedLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
}

int WrappedLabel::heightForWidth(int width) const {
  if (m_measured != text() || m_margin != margin()) m_heights.clear();
  m_measured = text();
  m_margin = margin();
  const auto known = m_heights.constFind(width);
  if (known != m_heights.constEnd()) return *known;
  return *m_heights.insert(width, QLabel::heightForWidth(width));
}

// Another font, or another style.
void WrappedLabel::changeEvent(QEvent* event) {
  m_heights.clear();
  QLabel::changeEvent(event);
}

}  // namespace quantscope

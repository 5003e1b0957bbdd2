#include "widgets/inspector/parts/inspector_bar.h"

#include <QPainter>
#include <QSignalBlocker>
#include <QTabBar>
#include <QVBoxLayout>

#include "widgets/controls/elided_label.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

InspectorBar::InspectorBar(QWidget* parent)
    : QWidget(parent), m_title(new ElidedLabel), m_sections(new QTabBar) {
  setAccessibleName(tr("Sections of the inspector"));
  QFont bold(m_title->font());
  bold.setWeight(QFont::DemiBold);
  m_title->setFont(bold);
  m_sections->setDocumentMode(true);
  m_sections->setDrawBase(false);
  m_sections->setExpanding(false);
  m_sections->setUsesScrollButtons(true);
  m_sections->setElideMode(Qt::ElideNone);
  m_sections->setFocusPolicy(Qt::TabFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 6, 12, 1);
  layout->setSpacing(0);
  layout->addWidget(m_title);
  layout->addWidget(m_sections);
  connect(m_sections, &QTabBar::tabBarClicked, this, [this](int section) {
    if (section >= 0) Q_EMIT chosen(section);
  });
}

void InspectorBar::setTitle(const QString& title) {
  m_title->setText(title);
}

void InspectorBar::setSections(const QStringList& titles) {
  if (titles == m_titles) return;
  m_titles = titles;
  const QSignalBlocker silent(m_sections);
  while (m_sections->count() > titles.size()) m_sections->removeTab(m_sections->count() - 1);
  for (int i = 0; i < titles.size(); ++i) {
    if (i < m_sections->count()) {
      m_sections->setTabText(i, menuText(titles[i]));
    } else {
      m_sections->addTab(menuText(titles[i]));
    }
  }
}

void InspectorBar::setCurrent(int section) {
  const QSignalBlocker silent(m_sections);
  m_sections->setCurrentIndex(section);
}

void InspectorBar::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  painter.fillRect(0, height() - 1, width(), 1, Theme::of(palette()).border);
}

}  // namespace quantscope

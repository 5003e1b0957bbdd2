#include "widgets/controls/fitting_tabs.h"

#include <QResizeEvent>
#include <QStyleOptionTab>

namespace quantscope {
namespace {

constexpr int kGap = 4;  // that the style leaves between an icon and its title

}  // namespace

int FittingTabBar::widthOf(int index, Look look) const {
  const int title = fontMetrics().horizontalAdvance(tabText(index));
  const int whole = QTabBar::tabSizeHint(index).width();
  if (tabIcon(index).isNull() || look == Look::Whole) return whole;
  return look == Look::Title ? whole - iconSize().width() - kGap : whole - title - kGap;
}

int FittingTabBar::widthOf(Look look) const {
  int width = 0;
  for (int index = 0; index < count(); ++index) width += widthOf(index, look);
  return width;
}

void FittingTabBar::fit(int width) {
  Look look = Look::Icon;
  if (widthOf(Look::Title) <= width) look = Look::Title;
  if (widthOf(Look::Whole) <= width) look = Look::Whole;
  if (look == m_look) return;
  m_look = look;
  setIconSize(iconSize());  // lays the tabs out anew
}

QSize FittingTabBar::tabSizeHint(int index) const {
  return {widthOf(index, m_look), QTabBar::tabSizeHint(index).height()};
}

QSize FittingTabBar::minimumTabSizeHint(int index) const {
  return tabSizeHint(index);
}

void FittingTabBar::initStyleOption(QStyleOptionTab* option, int index) const {
  QTabBar::initStyleOption(option, index);
  if (option->icon.isNull()) return;
  if (m_look == Look::Title) option->icon = {};
  if (m_look == Look::Icon) option->text.clear();
}

FittingTabs::FittingTabs() : m_bar(new FittingTabBar) {
  setTabBar(m_bar);
}

void FittingTabs::resizeEvent(QResizeEvent* event) {
  m_bar->fit(event->size().width());
  QTabWidget::resizeEvent(event);
}

void FittingTabs::tabInserted(int index) {
  if (tabToolTip(index).isEmpty()) setTabToolTip(index, tabText(index));
  m_bar->fit(width());
}

}  // namespace quantscope

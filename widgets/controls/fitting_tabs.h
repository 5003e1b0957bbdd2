#pragma once

#include <QTabBar>
#include <QTabWidget>

namespace quantscope {

/// Tabs that stay in sight in a narrow window: they lose their icons first, then their titles,
/// which the tool tips of the tabs tell instead.
class FittingTabBar : public QTabBar {
  Q_OBJECT

 public:
  /// What a tab shows of itself.
  enum class Look { Whole, Title, Icon };

  /// Shows as much of each tab as `width` has room for.
  void fit(int width);
  Look look() const { return m_look; }

 protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
  void initStyleOption(QStyleOptionTab* option, int index) const override;

 private:
  int widthOf(int index, Look look) const;
  int widthOf(Look look) const;

  Look m_look = Look::Whole;
};

/// Pages behind a FittingTabBar.
class FittingTabs : public QTabWidget {
  Q_OBJECT

 public:
  FittingTabs();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void tabInserted(int index) override;

 private:
  FittingTabBar* m_bar;
};

}  // namespace quantscope

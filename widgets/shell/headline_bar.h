#pragma once

#include <QWidget>

#include "widgets/shell/headline_items.h"

class QAbstractButton;
class QHBoxLayout;
class QToolButton;

namespace quantscope {

/// The figures of the whole model in one line. Each explains itself on hover and is copied by a
/// click. Those without room go into a menu as a whole: half a figure would be another figure.
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);

  void setItems(const std::vector<HeadlineItem>& items);
  const std::vector<HeadlineItem>& items() const { return m_items; }
  /// A widget at the right end.
  void setCorner(QWidget* corner);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QAbstractButton* figure(std::size_t i) const;
  /// Hides what has no room, of the figures that have not changed the last ones first; the worst
  /// output and warnings stay.
  void fit();
  void listHidden();

  QHBoxLayout* m_layout;  // of the figures, and what stretches behind them
  QToolButton* m_more;    // the figures without room
  QWidget* m_corner = nullptr;
  std::vector<HeadlineItem> m_items;
};

}  // namespace quantscope

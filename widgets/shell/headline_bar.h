#pragma once

#include <QWidget>

#include "widgets/shell/headline_items.h"

class QHBoxLayout;

namespace quantscope {

/// The figures of the whole model in one line. Each explains itself on hover and is copied by a
/// click.
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

 private:
  QHBoxLayout* m_layout;  // of the figures, and what stretches behind them
  std::vector<HeadlineItem> m_items;
};

}  // namespace quantscope

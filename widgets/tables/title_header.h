#pragma once

#include <QHeaderView>

#include "widgets/copy/table_actions.h"

namespace quantscope {

/// A flat header: a title with its unit, muted, and the order that the table is sorted by. Models
/// give both by these roles beside Qt::DisplayRole, the heading in a file.
class TitleHeader : public QHeaderView {
  Q_OBJECT

 public:
  enum Role { kTitle = kExactRole + 1, kUnit, kGroup };

  explicit TitleHeader(QWidget* parent = nullptr);

  QSize sizeHint() const override;

 protected:
  static constexpr int kMargin = 8;
  static constexpr int kPadding = 4;

  QString words(int section, int role) const;
  void paintSection(QPainter* painter, const QRect& area, int section) const override;
  /// Paints the content above the title or in its place.
  virtual void paintContent(QPainter& painter, const QRect& area, int section) const;

 private:
  int paintArrow(QPainter& painter, const QRect& line, int section, bool right) const;
};

}  // namespace quantscope

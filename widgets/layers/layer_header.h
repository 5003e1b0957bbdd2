#pragma once

#include "widgets/tables/title_header.h"

class QMenu;

namespace quantscope {

/// Header of the table of layers: headings over groups of columns, titles with their units, and a
/// context menu that chooses the columns.
class LayerHeader : public TitleHeader {
  Q_OBJECT

 public:
  explicit LayerHeader(QWidget* parent = nullptr);

  /// Shows the columns that are common, in their first order and width.
  void resetColumns();
  /// Offers every column to show or hide.
  void fillColumnsMenu(QMenu& menu);

  QSize sizeHint() const override;

 protected:
  void paintContent(QPainter& painter, const QRect& area, int section) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void paintGroup(QPainter& painter, const QRect& area, int section) const;
};

}  // namespace quantscope

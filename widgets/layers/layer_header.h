#pragma once

#include <QHeaderView>

class QMenu;

namespace quantscope {

/// Header of the table of layers: headings over groups of columns, titles with their units, and a
/// context menu that chooses the columns.
class LayerHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit LayerHeader(QWidget* parent = nullptr);

  /// Shows the columns that are common, in their first order and width.
  void resetColumns();
  /// Offers every column to show or hide.
  void fillColumnsMenu(QMenu& menu);

  QSize sizeHint() const override;

 protected:
  void paintSection(QPainter* painter, const QRect& area, int section) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QString words(int section, int role) const;
  void paintGroup(QPainter& painter, const QRect& area, int section) const;
  void paintTitle(QPainter& painter, const QRect& area, int section) const;
};

}  // namespace quantscope

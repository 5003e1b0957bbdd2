#pragma once

#include <QTableView>

#include "widgets/inspector/parts/cell_model.h"

namespace quantscope {

/// A small table that is as high as its rows and never scrolls. Rows with a link in them, or all
/// where `setRowsActive` says so, are activated by a click or by Enter.
class CellTable : public QTableView {
  Q_OBJECT

 public:
  /// `name`: for screen readers, and for the file that the table is saved as.
  explicit CellTable(const QString& name, QWidget* parent = nullptr);

  /// `stretched`: the column that takes the room that is left, its text elided.
  void setContent(CellTableContent content, int stretched = 0);
  const CellTableContent& content() const { return m_model->content(); }
  void setRowsActive(bool active) { m_rowsActive = active; }
  void setHeaderShown(bool shown);
  /// The active row under the pointer; −1 = none.
  int hoveredRow() const { return m_hoveredRow; }
  /// The whole table as text, tab-separated.
  QString asText() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void rowActivated(int row);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  bool isActive(const QModelIndex& index) const;
  void fitRows();
  void hover(int row);

  CellModel* m_model;
  bool m_rowsActive = false;
  int m_hoveredRow = -1;
};

}  // namespace quantscope

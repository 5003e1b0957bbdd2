#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace quantscope {

/// The results of a search field, as a list below it: their number, and each with a click. It is
/// visible while the field has the focus and holds words; arrow keys go from one to the next.
class SearchResults : public QFrame {
  Q_OBJECT

 public:
  struct Row {
    QString name;
    QString note;  ///< muted, behind the name
    QString icon;
  };

  /// Over the window of the field, which outlives it.
  SearchResults(QLineEdit* field, QWidget* window);

  /// Shows them, and how many there are; none = says so.
  void setRows(const QList<Row>& rows);
  /// The one that was gone to; −1 = none.
  void setCurrent(int row);
  QListView* list() const { return m_list; }
  QString countWords() const;

 Q_SIGNALS:
  void chosen(int row);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void place();
  void step(int by);

  QLineEdit* m_field;
  QLabel* m_count;
  QListView* m_list;
  QStandardItemModel* m_model;
};

}  // namespace quantscope

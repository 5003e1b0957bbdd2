#pragma once

#include <QWidget>
#include <cstddef>

class QLabel;
class QLineEdit;

namespace quantscope {

/// The field over the graph to search in: Enter goes to the next match, Shift+Enter to the one
/// before, Esc closes it.
class GraphSearch : public QWidget {
  Q_OBJECT

 public:
  explicit GraphSearch(QWidget* parent = nullptr);

  void open();
  void close();
  QString words() const;
  void setWords(const QString& words);
  /// "3 of 17"; `match` counts from 0.
  void setCount(std::size_t match, std::size_t count);

 Q_SIGNALS:
  void wordsChanged(const QString& words);
  void nextRequested();
  void previousRequested();
  void closed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLineEdit* m_field;
  QLabel* m_count;
};

}  // namespace quantscope

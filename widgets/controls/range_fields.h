#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace quantscope {

/// The ends of a range as numbers to type. A range that cannot be is refused in a sentence.
class RangeFields : public QWidget {
  Q_OBJECT

 public:
  explicit RangeFields(QWidget* parent = nullptr);

  /// Text that is typed and not entered yet stays.
  void setRange(double low, double high);
  QString problem() const;

 Q_SIGNALS:
  /// Enter was pressed, and the range is one: low < high, both finite.
  void chosen(double low, double high);

 private:
  QLineEdit* makeField(const QString& name);
  void enter();
  void refuse(const QString& sentence);

  QLineEdit* m_low;
  QLineEdit* m_high;
  QLabel* m_problem;
};

}  // namespace quantscope

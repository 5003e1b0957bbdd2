#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace quantscope {

/// The ends of a range as numbers to type. A range that cannot be is refused in a sentence; one
/// that was set by hand can be taken back.
class RangeFields : public QWidget {
  Q_OBJECT

 public:
  /// `subject`: whose range it is, "output".
  explicit RangeFields(const QString& subject, QWidget* parent = nullptr);

  /// Text that is typed and not entered yet stays.
  void setRange(double low, double high);
  /// There is one, but not yet known.
  void setUnknown();
  /// Whether the range was set by hand, so that it can be taken back.
  void setByHand(bool byHand);
  QString problem() const;

 Q_SIGNALS:
  /// Enter was pressed, and the range is one: low < high, both finite as float32.
  void chosen(double low, double high);
  /// The observer is to find it again.
  void cleared();

 private:
  QLineEdit* makeField(const QString& name, const QString& tip);
  void enter();
  void refuse(const QString& sentence);

  QLineEdit* m_low;
  QLineEdit* m_high;
  QToolButton* m_clear;
  QLabel* m_problem;
};

}  // namespace quantscope

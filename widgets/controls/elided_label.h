#pragma once

#include <QWidget>

namespace quantscope {

/// One line of text, elided in the middle; the whole of it in the tooltip and on copy.
class ElidedLabel : public QWidget {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);

  /// Empty = hidden.
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_text;
};

}  // namespace quantscope

#pragma once

#include <QWidget>
#include <optional>

#include "quant/quant_type.h"

namespace quantscope {

/// A short fact in a rounded box; with a stripe in the colour of a precision type where it is about
/// one, whose name stands in the text.
class Chip : public QWidget {
  Q_OBJECT

 public:
  explicit Chip(QWidget* parent = nullptr);

  void setContent(const QString& text, const QString& toolTip,
                  std::optional<QuantType> type = std::nullopt);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_text;
  std::optional<QuantType> m_type;
};

}  // namespace quantscope

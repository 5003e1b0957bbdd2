#pragma once

#include <QWidget>

#include "widgets/words/budget_words.h"

namespace quantscope {

/// The parts of a layer's own error, as one bar with a section per part and names below.
class BudgetBar : public QWidget {
  Q_OBJECT

 public:
  explicit BudgetBar(QWidget* parent = nullptr);

  /// Empty = hidden.
  void setParts(std::vector<BudgetPart> parts);
  const std::vector<BudgetPart>& parts() const { return m_parts; }
  /// The tool tip at a place; empty if there is none.
  QString wordsAt(const QPoint& place) const;

  QSize sizeHint() const override;
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Label {
    std::size_t part;
    QRect rect;
  };
  QString labelText(const BudgetPart& part) const;
  /// The labels of the visible parts, in rows.
  std::vector<Label> labels(int width) const;
  QRectF barOf(std::size_t part) const;

  std::vector<BudgetPart> m_parts;
};

}  // namespace quantscope

#pragma once

#include <QHash>
#include <QLabel>

namespace quantscope {

/// A label of plain text that wraps and can be selected with the mouse. It remembers how high its
/// text is at the widths that were asked for: a layout asks many times for each time that the text
/// changes, and to break lines takes longer than to paint them.
class WrappedLabel : public QLabel {
 public:
  explicit WrappedLabel(QWidget* parent = nullptr);

  int heightForWidth(int width) const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  mutable QString m_measured;         // the text that the heights are of
  mutable int m_margin = 0;           // likewise
  mutable QHash<int, int> m_heights;  // by width
};

}  // namespace quantscope

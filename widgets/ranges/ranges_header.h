#pragma once

#include "widgets/tables/title_header.h"

namespace quantscope {

class RangeDelegate;

/// Header of the table of ranges: the axis stands above the bars where they share one.
class RangesHeader : public TitleHeader {
  Q_OBJECT

 public:
  explicit RangesHeader(const RangeDelegate* delegate, QWidget* parent = nullptr);

  QSize sizeHint() const override;

 protected:
  void paintContent(QPainter& painter, const QRect& area, int section) const override;

 private:
  const RangeDelegate* m_delegate;
};

}  // namespace quantscope

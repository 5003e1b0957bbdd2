#pragma once

#include <vector>

#include "widgets/charts/item_chart.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// All channels of a layer in one line of colours; where there are more of them than pixels, each
/// shows the worst that it covers. Items are channels.
class ChannelLine : public ItemChart {
  Q_OBJECT

 public:
  explicit ChannelLine(QWidget* parent = nullptr);

  void setContent(const std::vector<double>& sqnrDb, const ErrorScale& scale, int selected);
  /// The channel that a place stands for: the worst one there; −1 = none.
  int channelAt(int x) const;
  QSize sizeHint() const override { return {200, 24}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  int itemAt(const QPointF& place) const override;
  QString itemWords(int channel) const override;
  int itemBeside(int step) const override;

 private:
  std::vector<double> m_sqnrDb;
  ErrorScale m_scale;
  int m_selected = -1;
};

}  // namespace quantscope

#pragma once

#include <vector>

#include "widgets/charts/item_chart.h"
#include "widgets/heatmap/cell_axis.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// The channels of a list in the order that they are drawn in: by index, or worst first with those
/// without a figure last.
std::vector<int> channelOrder(const std::vector<Figure>& channels, const ErrorScale& scale,
                              bool worstFirst);

/// "worst is channel 17 with 12.3 dB, half of all 64 have 31.2 dB or more"; empty without figures.
QString channelWords(const std::vector<Figure>& channels, const ErrorScale& scale);

/// All channels of one layer as bars, the higher the worse; where a pixel stands for several, the
/// worst of them. Items are channels.
class ChannelStrip : public ItemChart {
  Q_OBJECT

 public:
  explicit ChannelStrip(QWidget* parent = nullptr);

  void setChannels(std::vector<Figure> channels, const ErrorScale& scale);
  void setWorstFirst(bool worstFirst);
  void setThreshold(double position);
  void setCurrent(int channel);

  QSize sizeHint() const override { return {320, 84}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  /// The worst channel of a pixel.
  int itemAt(const QPointF& place) const override;
  QString itemWords(int channel) const override;
  int itemBeside(int step) const override;

 private:
  QRect bars() const;
  CellAxis axis() const;
  void arrange();
  double heat(int place) const;
  int worstOf(CellSpan places) const;
  void paintScale(QPainter& painter, const Theme& theme) const;

  std::vector<Figure> m_channels;
  std::vector<int> m_order;
  ErrorScale m_scale;
  bool m_worstFirst = false;
  double m_threshold = 0;
  int m_current = -1;
};

}  // namespace quantscope

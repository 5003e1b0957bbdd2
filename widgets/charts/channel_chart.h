#pragma once

#include "widgets/charts/plot.h"
#include "widgets/words/channel_series.h"

namespace quantscope {

/// The ranges of all channels of a tensor as thin bars side by side. Those that set the tensor's
/// range are marked. Items are channels.
class ChannelChart : public Plot {
  Q_OBJECT

 public:
  explicit ChannelChart(const QString& name, QWidget* parent = nullptr);

  void setSeries(ChannelSeries series);
  /// Gives two charts one axis, which spans the series of both.
  static void shareAxis(ChannelChart& first, ChannelChart& second);
  const ChannelSeries& series() const { return m_series; }
  /// Sorts by range, largest first, instead of by index.
  void sortBySize(bool sorted);
  /// −1 = none.
  void setSelected(int channel);
  /// Channels in the order on screen.
  const std::vector<std::size_t>& order() const { return m_order; }
  /// Middle of a channel's bar.
  QPoint positionOf(std::size_t channel) const;

 protected:
  bool isEmpty() const override { return m_series.channels.empty(); }
  void paintData(QPainter& painter, const Frame& frame, const Theme& theme) const override;
  QString caption() const override;
  int itemAt(const QPointF& place) const override;
  QString itemWords(int item) const override;
  int itemBeside(int step) const override;

 private:
  void arrange();
  QRectF slotOf(std::size_t place, const Frame& frame) const;
  std::size_t placeOf(std::size_t channel) const;
  void paintGrids(QPainter& painter, const Frame& frame, const Theme& theme) const;
  void paintMarks(QPainter& painter, const Frame& frame, const Theme& theme) const;
  void paintNumbers(QPainter& painter, const Frame& frame, std::vector<QRectF> taken) const;

  ChannelSeries m_series;
  std::vector<std::size_t> m_order;
  std::vector<std::size_t> m_dominating;
  bool m_bySize = true;
  int m_selected = -1;
};

}  // namespace quantscope

#pragma once

#include <vector>

#include "widgets/charts/plot.h"

namespace quantscope {

/// A ratio per channel as a bar, with the thresholds that it is judged by as lines; those that are
/// beyond stand out. Items are channels. An infinite ratio reaches to the top.
class RatioChart : public Plot {
  Q_OBJECT

 public:
  struct Content {
    QString title;               ///< of a ratio, for words: "q100 / q97.5"
    std::vector<double> ratios;  ///< by channel; NaN = none
    std::vector<bool> marked;    ///< by channel
    std::vector<double> lines;   ///< thresholds
  };

  explicit RatioChart(const QString& name, QWidget* parent = nullptr);

  void setContent(Content content);
  const Content& content() const { return m_content; }
  /// −1 = none.
  void setSelected(int channel);
  /// Middle of a channel's bar.
  QPoint positionOf(std::size_t channel) const;

 protected:
  bool isEmpty() const override { return m_content.ratios.empty(); }
  void paintData(QPainter& painter, const Frame& frame, const Theme& theme) const override;
  QString caption() const override;
  int itemAt(const QPointF& place) const override;
  QString itemWords(int channel) const override;

 private:
  Content m_content;
  double m_highest = 1;  // finite
  int m_selected = -1;
};

}  // namespace quantscope

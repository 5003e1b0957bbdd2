#pragma once

#include <QWidget>
#include <vector>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// All channels of a layer in one line of colours; where there are more of them than pixels, each
/// shows the worst that it covers. A click, or the arrow keys, select one.
class ChannelLine : public QWidget {
  Q_OBJECT

 public:
  explicit ChannelLine(QWidget* parent = nullptr);

  void setContent(const std::vector<double>& sqnrDb, const ErrorScale& scale, int selected);
  /// The channel that a place stands for: the worst one there; −1 = none.
  int channelAt(int x) const;
  QSize sizeHint() const override { return {200, 24}; }

 Q_SIGNALS:
  void channelActivated(int channel);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<double> m_sqnrDb;
  ErrorScale m_scale;
  int m_selected = -1;
};

}  // namespace quantscope

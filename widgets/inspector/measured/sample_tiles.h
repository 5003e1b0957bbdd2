#pragma once

#include <QImage>
#include <QWidget>
#include <vector>

#include "widgets/inspector/parts/cell_model.h"

namespace quantscope {

/// A sample as a small picture, or its numbers, with its error.
struct SampleTile {
  int sample = 0;
  double sqnrDb = 0;
  Cell change;     ///< of it, against B; without a figure where there is none
  QImage picture;  ///< null = words instead
  QString words;
};

/// Samples side by side; a click, or the arrow keys and Enter, select one.
class SampleTiles : public QWidget {
  Q_OBJECT

 public:
  explicit SampleTiles(QWidget* parent = nullptr);

  void setContent(std::vector<SampleTile> tiles, const ErrorScale& scale, int selected);
  const std::vector<SampleTile>& tiles() const { return m_tiles; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void sampleActivated(int sample);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  int tileWidth(int width) const;
  int tileHeight(int width) const;
  int captionHeight() const;
  QRect tileRect(int tile) const;
  int tileAt(const QPoint& place) const;
  void paintTile(QPainter& painter, int tile) const;

  std::vector<SampleTile> m_tiles;
  ErrorScale m_scale;
  int m_selected = -1;  // sample
  int m_current = 0;    // tile, of the keyboard
};

}  // namespace quantscope

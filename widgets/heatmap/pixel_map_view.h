#pragma once

#include <QImage>
#include <QWidget>
#include <array>
#include <optional>

#include "analysis/errors/error_maps.h"
#include "widgets/look/error_scale.h"

namespace quantscope {

/// One channel of one sample, place by place: its values in the float network and in the quantized
/// one on one grey scale, and its error. The colour of a place is that of the SQNR that the channel
/// would have if all places erred as much. Where two configurations are compared: the error under
/// each, and the difference.
class PixelMapView : public QWidget {
  Q_OBJECT

 public:
  explicit PixelMapView(QWidget* parent = nullptr);

  /// Nullopt = there is none; nothing is drawn.
  void setMap(std::optional<PixelMap> map, const ErrorScale& scale);
  /// Under A and under B; nothing is drawn unless both are there, in one size.
  void setDifference(std::optional<PixelMap> map, std::optional<PixelMap> other,
                     const ErrorScale& scale);

  /// "row 3, column 7: float 0.531, quantized 0.52, error −0.011"; empty beside the pictures.
  QString wordsAt(const QPointF& place) const;
  /// Rows of "row, column, float, quantized" (or "A", "B"), tab-separated, with a head.
  QString asText() const;
  QSize sizeHint() const override { return {320, 320}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Picture {
    QString title;
    QString words;
    QImage image;
  };

  void makePictures();
  void makeDifference();
  QRect frameOf(std::size_t picture) const;
  QRect imageRect(std::size_t picture) const;

  std::optional<PixelMap> m_map;
  std::optional<PixelMap> m_other;  // only where differences are shown
  ErrorScale m_scale;
  std::array<Picture, 3> m_pictures;
};

}  // namespace quantscope

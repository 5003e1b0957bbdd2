#pragma once

#include <QWidget>

#include "widgets/look/error_scale.h"
#include "widgets/view/layer_maps.h"

class QLabel;

namespace quantscope {

class PixelMapView;

/// Beside the channels and samples of a layer: one of its channels on one sample, place by place,
/// with a line that says which.
class LayerMapPane : public QWidget {
  Q_OBJECT

 public:
  explicit LayerMapPane(QWidget* parent = nullptr);

  /// Null = nothing is known yet.
  void setMaps(const LayerMapsPtr& maps, const ErrorScale& scale);
  PixelMapView& pixels() const { return *m_pixels; }
  QString title() const;

 private:
  QLabel* m_title;
  PixelMapView* m_pixels;
};

}  // namespace quantscope

#include "widgets/graph/painting/overlay_card.h"

#include "widgets/look/card.h"
#include "widgets/look/theme.h"

namespace quantscope {

void paintOverlayCard(QPainter& painter, const QWidget& widget) {
  paintCard(painter, widget, Theme::of(widget.palette()).raised, kOverlayRadius);
}

}  // namespace quantscope

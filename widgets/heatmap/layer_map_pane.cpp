#include "widgets/heatmap/layer_map_pane.h"

#include <QLabel>
#include <QVBoxLayout>

#include "widgets/heatmap/pixel_map_view.h"
#include "widgets/look/text.h"
#include "widgets/words/layer_names.h"

namespace quantscope {
namespace {

QString figureWords(const LayerMaps& maps) {
  const Figure figure =
      maps.figureAt(static_cast<std::size_t>(maps.channel), static_cast<std::size_t>(maps.sample));
  if (figure.kind == Figure::Kind::Value) {
    return (maps.differences() ? QStringLiteral("A − B ") : QString()) +
           withUnit(figure.value, QStringLiteral("dB"));
  }
  return maps.differences() ? QObject::tr("not known under both A and B")
                            : QObject::tr("without signal");
}

QString titleOf(const LayerMaps& maps) {
  const QString name = LayerNames(*maps.of).shortOf(text(maps.of->layers[maps.asked.layer].name));
  const QString layer = QStringLiteral("<b>%1</b> · ").arg(name.toHtmlEscaped());
  if (maps.channel < 0) return layer + QObject::tr("nothing of it could be compared");
  QString title =
      layer + QObject::tr("<b>channel %1 · sample %2</b>").arg(maps.channel).arg(maps.sample);
  title += QStringLiteral(" · ") + figureWords(maps);
  const std::optional<PixelMap>& pixels = maps.own.pixels;
  if (!pixels) return title + QObject::tr(" · its places cannot be told apart here");
  return title + QObject::tr(" · %1 × %2 places").arg(pixels->height).arg(pixels->width);
}

}  // namespace

LayerMapPane::LayerMapPane(QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_pixels(new PixelMapView) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  m_title->setContentsMargins(8, 0, 8, 0);
  m_title->setMinimumWidth(1);
  m_title->setWordWrap(true);
  layout->addWidget(m_title);
  layout->addWidget(m_pixels, 1);
}

void LayerMapPane::setMaps(const LayerMapsPtr& maps, const ErrorScale& scale) {
  m_title->setText(maps ? titleOf(*maps) : QString());
  if (!maps) return m_pixels->setMap(std::nullopt, scale);
  if (!maps->differences()) return m_pixels->setMap(maps->own.pixels, scale);
  m_pixels->setDifference(maps->own.pixels, maps->other.pixels, scale);
}

QString LayerMapPane::title() const {
  return m_title->text();
}

}  // namespace quantscope

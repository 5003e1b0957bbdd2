#include "widgets/look/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "widgets/look/theme.h"

// Resources of a static library have to be asked for, outside of any namespace.
static void loadIcons() {
  Q_INIT_RESOURCE(icons);
}

namespace quantscope {
namespace {

QColor strokeColour(QIcon::Mode mode, QIcon::State state) {
  const QPalette palette = QGuiApplication::palette();
  const Theme& theme = Theme::of(palette);
  if (mode == QIcon::Disabled) return theme.hatch;
  if (mode == QIcon::Selected) return theme.onAccent;
  return state == QIcon::On ? theme.accent : theme.text;
}

// Qt asks the engine anew for every painting, so the palette of the moment counts.
class StrokeIcon : public QIconEngine {
 public:
  explicit StrokeIcon(QString name) : m_name(std::move(name)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const qreal scale = painter->device()->devicePixelRatio();
    painter->drawPixmap(rect, scaledPixmap(rect.size() * scale, mode, state, scale));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1);
  }

  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state,
                       qreal scale) override {
    const QColor colour = strokeColour(mode, state);
    const QString key = QStringLiteral("quantscope/%1/%2/%3x%4@%5")
                            .arg(m_name, colour.name())
                            .arg(size.width())
                            .arg(size.height())
                            .arg(scale);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = draw(size, colour);
    pixmap.setDevicePixelRatio(scale);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }

  QIconEngine* clone() const override { return new StrokeIcon(*this); }

 private:
  QPixmap draw(const QSize& size, const QColor& colour) const {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
    if (!file.open(QFile::ReadOnly)) return pixmap;
    QSvgRenderer drawing(file.readAll().replace("currentColor", colour.name().toLatin1()));
    drawing.setAspectRatioMode(Qt::KeepAspectRatio);
    QPainter painter(&pixmap);
    drawing.render(&painter);
    return pixmap;
  }

  QString m_name;
};

}  // namespace

QIcon icon(const QString& name) {
  loadIcons();
  return QIcon(new StrokeIcon(name));
}

QIcon programIcon() {
  return icon(QStringLiteral("quantscope"));
}

}  // namespace quantscope

#pragma once

#include <QList>
#include <QSizeF>
#include <QString>
#include <functional>

class QAction;
class QPainter;
class QWidget;

namespace quantscope {

/// A view's content as a picture of its own, complete whatever part of it is on screen.
struct ViewPicture {
  QString name;  ///< proposed file name without its ending: "mobilenet-heatmap"
  QSizeF size;   ///< in pixels at scale 1
  std::function<void(QPainter&)> paint;
};

/// Actions "Copy Picture" and "Save Picture As…" (PNG at twice the size, SVG, or PDF) for a context
/// menu or toolbar of `owner`, which owns them. `make` is asked when one is triggered; an empty
/// size = there is nothing to show, and nothing happens.
QList<QAction*> pictureActions(QWidget* owner, std::function<ViewPicture()> make);

/// The same for a widget that is its picture, in its context menu.
void addPictureActions(QWidget* widget, const QString& name);

/// Writes a picture by the ending of the file's name. Throws Error(Io).
void savePicture(const ViewPicture& picture, const QString& file);

}  // namespace quantscope

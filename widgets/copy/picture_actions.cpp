#include "widgets/copy/picture_actions.h"

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QMessageBox>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr double kScale = 2;
// Larger pictures are made smaller than twice the size: 64 million pixels are 256 MB.
constexpr double kMostPixels = 64e6;
constexpr double kPointsPerInch = 72;
constexpr int kPixelsPerInch = 96;
// In pixels. Viewers of PDF take pages of at most 200 inches (14,400 points).
constexpr double kLongestPage = 19'200;

QImage toImage(const ViewPicture& picture) {
  const double area = picture.size.width() * picture.size.height();
  const double scale = std::min(kScale, std::sqrt(kMostPixels / std::max(area, 1.0)));
  QImage image((picture.size * scale).toSize().expandedTo({1, 1}),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(scale, scale);
  picture.paint(painter);
  return image;
}

void writeSvg(const ViewPicture& picture, QIODevice& device) {
  QSvgGenerator generator;
  generator.setOutputDevice(&device);
  generator.setSize(picture.size.toSize());
  generator.setViewBox(QRectF(QPointF(), picture.size));
  generator.setTitle(picture.name);
  QPainter painter(&generator);
  picture.paint(painter);
}

// One page, as large as the picture is on screen.
void writePdf(const ViewPicture& picture, QIODevice& device) {
  QPdfWriter writer(&device);
  writer.setTitle(picture.name);
  writer.setCreator(QCoreApplication::applicationName());
  const double scale =
      std::min(1.0, kLongestPage / std::max(picture.size.width(), picture.size.height()));
  writer.setPageSize(
      QPageSize(scale * kPointsPerInch / kPixelsPerInch * picture.size, QPageSize::Point));
  writer.setPageMargins({});
  writer.setResolution(kPixelsPerInch);
  QPainter painter(&writer);
  painter.scale(scale, scale);
  picture.paint(painter);
}

QByteArray encode(const ViewPicture& picture, const QString& file) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending == QStringLiteral("svg")) {
    writeSvg(picture, buffer);
  } else if (ending == QStringLiteral("pdf")) {
    writePdf(picture, buffer);
  } else {
    toImage(picture).save(&buffer, "PNG");
  }
  return bytes;
}

void askAndSave(QWidget* owner, const ViewPicture& picture) {
  const QString file = QFileDialog::getSaveFileName(
      owner, QObject::tr("Save Picture"), picture.name + QStringLiteral(".png"),
      QObject::tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF page (*.pdf)"));
  if (file.isEmpty()) return;
  try {
    savePicture(picture, file);
  } catch (const Error& error) {
    QMessageBox::warning(owner, QObject::tr("Save Picture"), text(error.what()));
  }
}

}  // namespace

QList<QAction*> pictureActions(QWidget* owner, std::function<ViewPicture()> make) {
  auto* copy = new QAction(QObject::tr("Copy Picture"), owner);
  QObject::connect(copy, &QAction::triggered, owner, [make] {
    const ViewPicture picture = make();
    if (!picture.size.isEmpty()) QGuiApplication::clipboard()->setImage(toImage(picture));
  });
  auto* save = new QAction(QObject::tr("Save Picture As…"), owner);
  QObject::connect(save, &QAction::triggered, owner, [owner, make = std::move(make)] {
    const ViewPicture picture = make();
    if (!picture.size.isEmpty()) askAndSave(owner, picture);
  });
  return {copy, save};
}

void addPictureActions(QWidget* widget, const QString& name) {
  widget->setContextMenuPolicy(Qt::ActionsContextMenu);
  widget->addActions(pictureActions(widget, [widget, name]() -> ViewPicture {
    return {name, widget->size(), [widget](QPainter& painter) {
              widget->render(&painter, QPoint(), QRegion(),
                             QWidget::DrawWindowBackground | QWidget::DrawChildren);
            }};
  }));
}

void savePicture(const ViewPicture& picture, const QString& file) {
  const QByteArray bytes = encode(picture, file);
  writeFileAtomically(
      file.toStdString(),
      std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(bytes.size()))));
}

}  // namespace quantscope

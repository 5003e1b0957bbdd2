#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QWidget>
#include <QtTest>

#include "base/error.h"
#include "support/test_main.h"
#include "widgets/copy/picture_actions.h"

using namespace quantscope;

namespace {

constexpr QSize kSize{40, 30};

ViewPicture redCorner() {
  return {QStringLiteral("corner"), kSize,
          [](QPainter& painter) { painter.fillRect(0, 0, 20, 15, Qt::red); }};
}

QImage rendered(const QString& svg) {
  QSvgRenderer renderer(svg);
  QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  renderer.render(&painter);
  return image;
}

}  // namespace

class PictureActionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pngHasTwiceTheSize();
  void svgShowsTheSame();
  void pdfIsOnePageOfItsSize();
  void aMissingFolderIsAnError();
  void copies();
  void nothingToShowLeavesTheClipboard();
};

void PictureActionsTest::pngHasTwiceTheSize() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.png"));
  savePicture(redCorner(), file);
  const QImage image(file);
  QCOMPARE(image.size(), 2 * kSize);
  QCOMPARE(image.pixelColor(10, 10), QColor(Qt::red));
  QCOMPARE(image.pixelColor(70, 50).alpha(), 0);
}

void PictureActionsTest::svgShowsTheSame() {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.SVG"));
  savePicture(redCorner(), file);
  const QImage image = rendered(file);
  QCOMPARE(image.pixelColor(5, 5), QColor(Qt::red));
  QCOMPARE(image.pixelColor(35, 25), QColor(Qt::white));
}

// In points, three quarters of a pixel.
void PictureActionsTest::pdfIsOnePageOfItsSize() {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("a.pdf"));
  savePicture(redCorner(), path);
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  QVERIFY2(bytes.startsWith("%PDF-"), bytes.left(20));
  QVERIFY2(bytes.contains("/MediaBox [0 0 30") && bytes.contains("/Count 1"), bytes);
}

void PictureActionsTest::aMissingFolderIsAnError() {
  QVERIFY_EXCEPTION_THROWN(savePicture(redCorner(), QStringLiteral("/nowhere/a.png")), Error);
}

void PictureActionsTest::copies() {
  QWidget owner;
  const QList<QAction*> actions = pictureActions(&owner, redCorner);
  actions.front()->trigger();
  QCOMPARE(QGuiApplication::clipboard()->image().size(), 2 * kSize);
}

void PictureActionsTest::nothingToShowLeavesTheClipboard() {
  QGuiApplication::clipboard()->setText(QStringLiteral("kept"));
  QWidget owner;
  pictureActions(&owner, [] { return ViewPicture(); }).front()->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("kept"));
}

QUANTSCOPE_TEST(PictureActionsTest)
#include "test_picture_actions.moc"

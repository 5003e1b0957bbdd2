#include <QSignalSpy>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/graph/canvas/graph_tiles.h"

using namespace quantscope;

namespace {

const QColor kFill(200, 40, 30);

// Boxes so close to each other that nearly everything is box.
GraphContent wall(int columns, int rows) {
  GraphDrawing drawing;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      DrawnBox box;
      box.rect = QRectF(column * 200, row * 100, 198, 98);
      box.layers = {drawing.boxes.size()};
      drawing.boxes.push_back(box);
    }
  }
  drawing.bounds = QRectF(0, 0, columns * 200, rows * 100);
  auto looks = std::make_shared<GraphLooks>();
  looks->theme = Theme::day();
  const BoxLook look{.figure = Figure{Figure::Kind::Value, 20},
                     .position = 0.8,
                     .fill = kFill,
                     .ink = QColor(Qt::white),
                     .precision = {}};
  looks->boxes.assign(drawing.boxes.size(), look);
  const auto scene = std::make_shared<const GraphScene>(std::move(drawing), DrawingOptions{});
  return {scene, looks, makeHighlight(*scene, {}, {})};
}

QImage paint(GraphTiles& tiles, const GraphCamera& camera) {
  QImage image((camera.viewSize() * camera.pixelRatio()).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(camera.pixelRatio());
  image.fill(Qt::black);
  QPainter painter(&image);
  tiles.paint(painter, camera, false);
  return image;
}

int near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
         std::abs(a.blue() - b.blue());
}

// The share of a picture that has the colour of the boxes, or nearly.
double filled(const QImage& image) {
  int count = 0;
  for (int y = 0; y < image.height(); y += 4) {
    for (int x = 0; x < image.width(); x += 4) {
      if (near(image.pixelColor(x, y), kFill) < 40) ++count;
    }
  }
  return 16.0 * count / (static_cast<double>(image.width()) * image.height());
}

GraphCamera cameraFor(const GraphContent& content, double pixelRatio) {
  GraphCamera camera;
  camera.setView({900, 600}, pixelRatio);
  camera.setBounds(content.scene->bounds());
  camera.setCentre(content.scene->bounds().center());
  return camera;
}

}  // namespace

class GraphTilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsEverBlank_data();
  void nothingIsEverBlank();
  void becomesWhatDirectPaintingGives_data();
  void becomesWhatDirectPaintingGives();
  void anotherSceneReplacesTheFirstWhenItIsReady();
  void otherLooksReplaceTheOldOnes();
};

void GraphTilesTest::nothingIsEverBlank_data() {
  QTest::addColumn<double>("scale");
  QTest::newRow("far") << 0.02;
  QTest::newRow("middle") << 0.3;
  QTest::newRow("near") << 1.0;
  QTest::newRow("nearest") << 3.0;
}

void GraphTilesTest::nothingIsEverBlank() {
  QFETCH(const double, scale);
  const GraphContent content = wall(100, 300);
  GraphTiles tiles;
  QSignalSpy changed(&tiles, &GraphTiles::sceneChanged);
  tiles.setContent(content);
  QVERIFY(changed.wait());
  GraphCamera camera = cameraFor(content, 1);
  camera.setScale(scale);
  // No event is handled in between, so no tile can arrive.
  for (int step = 0; step < 5; ++step) {
    const QImage image = paint(tiles, camera);
    QVERIFY(!tiles.sharp());
    const QRectF seen = camera.visible() & content.scene->bounds();
    const double graph = camera.toView(seen).width() * camera.toView(seen).height() / (900 * 600);
    QVERIFY2(filled(image) > 0.6 * graph, qPrintable(QString::number(filled(image))));
    QVERIFY(image.pixelColor(0, 0) != QColor(Qt::black));
    camera.panBy({-700, 333});
    camera.zoomAt({10, 10}, 1.1);
  }
}

void GraphTilesTest::becomesWhatDirectPaintingGives_data() {
  QTest::addColumn<double>("pixelRatio");
  QTest::addColumn<double>("scale");
  QTest::newRow("one pixel a point") << 1.0 << 0.7;
  QTest::newRow("two pixels a point") << 2.0 << 0.7;
  QTest::newRow("one and a half") << 1.5 << 1.0;
}

void GraphTilesTest::becomesWhatDirectPaintingGives() {
  QFETCH(const double, pixelRatio);
  QFETCH(const double, scale);
  const GraphContent content = wall(20, 20);
  GraphTiles tiles;
  tiles.setContent(content);
  GraphCamera camera = cameraFor(content, pixelRatio);
  camera.setScale(scale);
  QImage image;
  QTRY_VERIFY((image = paint(tiles, camera), tiles.sharp()));

  QImage direct(image.size(), QImage::Format_RGB32);
  direct.setDevicePixelRatio(pixelRatio);
  direct.fill(content.looks->theme.surface);
  QPainter painter(&direct);
  painter.translate(camera.origin());
  painter.scale(scale, scale);
  paintGraph(painter, content, camera.visible(), scale * pixelRatio);
  painter.end();
  int different = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (near(image.pixelColor(x, y), direct.pixelColor(x, y)) > 60) ++different;
    }
  }
  // Texts may lie a fraction of a pixel apart.
  const double share = different / (static_cast<double>(image.width()) * image.height());
  QVERIFY2(share < 0.01, qPrintable(QString::number(share)));
}

void GraphTilesTest::anotherSceneReplacesTheFirstWhenItIsReady() {
  GraphTiles tiles;
  const GraphContent first = wall(3, 3);
  const GraphContent second = wall(5, 5);
  tiles.setContent(first);
  QVERIFY(tiles.content().empty());
  QTRY_VERIFY(tiles.content().scene == first.scene);
  tiles.setContent(second);
  QVERIFY(tiles.content().scene == first.scene);
  QTRY_VERIFY(tiles.content().scene == second.scene);
}

void GraphTilesTest::otherLooksReplaceTheOldOnes() {
  GraphContent content = wall(10, 10);
  GraphTiles tiles;
  tiles.setContent(content);
  const GraphCamera camera = cameraFor(content, 1);
  QTRY_VERIFY((paint(tiles, camera), tiles.sharp()));
  auto looks = std::make_shared<GraphLooks>(*content.looks);
  for (BoxLook& look : looks->boxes) look.fill = QColor(30, 160, 40);
  content.looks = looks;
  tiles.setContent(content);
  // What there was stays until its successor is painted.
  QVERIFY(filled(paint(tiles, camera)) > 0.5);
  QVERIFY(!tiles.sharp());
  QTRY_VERIFY((paint(tiles, camera), tiles.sharp()));
  QCOMPARE(filled(paint(tiles, camera)), 0.0);
}

QUANTSCOPE_TEST(GraphTilesTest)
#include "test_graph_tiles.moc"

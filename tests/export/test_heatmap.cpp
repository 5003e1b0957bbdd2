#include <png.h>

#include <QXmlStreamReader>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "export/pictures/heat_table.h"
#include "export/pictures/heatmap_picture.h"
#include "export/pictures/picture.h"
#include "export/pictures/scope_bands.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using Kind = HeatCell::Kind;

namespace {

struct DecodedPicture {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<Colour> pixels;
  // Below the legend, which shows every colour.
  bool tableShows(Colour colour) const {
    constexpr std::size_t kTableTop = 168;
    return std::find(pixels.begin() + static_cast<std::ptrdiff_t>(kTableTop * width), pixels.end(),
                     colour) != pixels.end();
  }
};

// An empty picture where the bytes are no PNG.
DecodedPicture decoded(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return {};
  image.format = PNG_FORMAT_RGB;
  DecodedPicture picture{image.width, image.height,
                         std::vector<Colour>(image.width * image.height)};
  png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr);
  return picture;
}

LayerResult layerWith(double localDb) {
  LayerResult layer;
  layer.name = "/scope/layer";
  layer.scope = "/scope";
  layer.quantized = true;
  layer.local.emplace();
  layer.local->total.sqnrDb = localDb;
  return layer;
}

AnalysisResult resultWith(std::size_t layers, double localDb) {
  AnalysisResult result;
  result.model = "made up";
  result.layers.assign(layers, layerWith(localDb));
  return result;
}

HeatCell value(double sqnrDb) {
  return {.kind = Kind::Value, .sqnrDb = sqnrDb};
}

}  // namespace

class HeatmapTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cellsTellWhatIsMissing();
  void worseKeepsTheHotCell();
  void manySamplesShareColumns();
  void channelsComeWorstFirst();
  void bandsFollowTheScopes();
  void drawsEveryKindOfCell();
  void aHotLayerNeverVanishes_data();
  void aHotLayerNeverVanishes();
  void survivesStrangeResults_data();
  void survivesStrangeResults();
  void longTextIsShortenedInTheMiddle();
  void drawsWhereItWasTold();
  void theSameAsSvg();
  void namesStayOutOfTheSvg();
};

void HeatmapTest::cellsTellWhatIsMissing() {
  test::ReportFixture fixture = test::smallReport();
  QVERIFY(localCell(fixture.layer("/classifier")) == value(33.125));
  QVERIFY(localCell(fixture.layer("/features/Mul")).kind == Kind::NotQuantized);
  QVERIFY(accumulatedCell(fixture.layer("/features/Mul")) ==
          value(std::numeric_limits<double>::infinity()));
  QVERIFY(accumulatedCell(fixture.layer("/odd")).kind == Kind::NotComputed);
  QVERIFY(localCell(fixture.layer("/gate/then/keep")).kind == Kind::NotComputed);
  fixture.layer("/classifier").local.reset();
  QVERIFY(localCell(fixture.layer("/classifier")).kind == Kind::NotComputed);
}

void HeatmapTest::worseKeepsTheHotCell() {
  const HeatCell empty{.kind = Kind::Empty};
  const HeatCell notQuantized{.kind = Kind::NotQuantized};
  const HeatCell notComputed{.kind = Kind::NotComputed};
  QVERIFY(worse(value(40), value(12)) == value(12));
  QVERIFY(worse(value(-3), value(12)) == value(-3));
  QVERIFY(worse(notQuantized, value(60)) == value(60));
  QVERIFY(worse(value(60), notComputed) == value(60));
  QVERIFY(worse(notQuantized, notComputed) == notComputed);
  QVERIFY(worse(empty, notQuantized) == notQuantized);
}

void HeatmapTest::manySamplesShareColumns() {
  AnalysisResult result = resultWith(1, 40);
  result.layers[0].accumulated.emplace();
  result.layers[0].accumulated->sampleSqnrDb.assign(100, 35.0F);
  result.layers[0].accumulated->sampleSqnrDb[57] = 4.5F;
  const HeatTable table = heatTable(result, 48, 16);
  QCOMPARE(table.groups[1].labels.size(), std::size_t{34});  // three samples to a column
  QCOMPARE(QString::fromStdString(table.groups[1].labels.back()), QString("99"));
  QVERIFY(table.rows[0][2 + 57 / 3] == value(4.5));
  QVERIFY(table.rows[0][2 + 57 / 3 + 1] == value(35));
}

void HeatmapTest::channelsComeWorstFirst() {
  AnalysisResult result = resultWith(2, 40);
  result.layers[0].local->channelSqnrDb = {30, std::nan(""), 10, 50, 20};
  result.layers[1].local->channelSqnrDb = {45};
  const HeatTable table = heatTable(result, 48, 3);
  QCOMPARE(table.columns, std::size_t{5});
  const std::vector<HeatCell> first(table.rows[0].begin() + 2, table.rows[0].end());
  QVERIFY((first == std::vector<HeatCell>{value(10), value(20), value(30)}));
  QVERIFY(table.rows[1][2] == value(45));
  QVERIFY(table.rows[1][3].kind == Kind::Empty);
}

void HeatmapTest::bandsFollowTheScopes() {
  const std::vector<std::string> scopes{"/net/a/x", "/net/a/y", "", "/net/a/y", "/net/b"};
  QStringList bands;
  for (const ScopeBand& band : scopeBands(scopes, 2)) {
    bands << QString("%1:%2-%3 %4")
                 .arg(band.level)
                 .arg(band.first)
                 .arg(band.last)
                 .arg(QString::fromStdString(band.name));
  }
  QCOMPARE(bands.join(", "), QString("0:0-1 a, 0:3-3 a, 0:4-4 b, 1:0-0 x, 1:1-1 y, 1:3-3 y"));
}

void HeatmapTest::drawsEveryKindOfCell() {
  const DecodedPicture picture = decoded(heatmapPng(test::smallReport().result));
  QVERIFY(picture.width >= 900);
  QVERIFY(picture.tableShows(errorColour(22.5)));    // /features/Add
  QVERIFY(picture.tableShows(errorColour(33.125)));  // /classifier
  QVERIFY(picture.tableShows({240, 242, 245}));      // ground of what was not quantized
  QVERIFY(!picture.tableShows(errorColour(5)));
}

void HeatmapTest::aHotLayerNeverVanishes_data() {
  QTest::addColumn<int>("layers");
  QTest::addColumn<int>("hot");
  for (const int layers : {1, 60, 61, 151, 2401, 20'000}) {
    for (const int hot : {0, layers / 2, layers - 1}) {
      QTest::addRow("%d of %d", hot, layers) << layers << hot;
    }
  }
}

void HeatmapTest::aHotLayerNeverVanishes() {
  QFETCH(int, layers);
  QFETCH(int, hot);
  AnalysisResult result = resultWith(static_cast<std::size_t>(layers), 49);
  result.layers[static_cast<std::size_t>(hot)] = layerWith(23.4);
  const DecodedPicture picture = decoded(heatmapPng(result));
  QVERIFY(picture.height <= 2700);
  QVERIFY(picture.tableShows(errorColour(23.4)));
}

void HeatmapTest::survivesStrangeResults_data() {
  QTest::addColumn<AnalysisResult>("result");
  QTest::newRow("nothing at all") << AnalysisResult{};
  QTest::newRow("infinitely wrong") << resultWith(3, -std::numeric_limits<double>::infinity());
  QTest::newRow("equal") << resultWith(3, std::numeric_limits<double>::infinity());
  AnalysisResult named = resultWith(3, 20);
  named.model = std::string(5000, 'm');
  named.layers[0].name = std::string(100'000, '/');
  named.layers[1].name = "\xFF\xFE\0\n\t";
  named.layers[2].name = "層/Ä";
  named.layers[2].scope = "////";
  QTest::newRow("strange names") << named;
}

void HeatmapTest::survivesStrangeResults() {
  QFETCH(AnalysisResult, result);
  const DecodedPicture picture = decoded(heatmapPng(result));
  QVERIFY(picture.width > 0 && picture.width < 3000);
}

void HeatmapTest::longTextIsShortenedInTheMiddle() {
  const Picture picture;
  const std::string name = "/encoder/layers/11/attention/output/dense/MatMul";
  const std::string shorter = picture.fitted(name, 200, 11.5);
  QVERIFY(picture.textWidth(shorter, 11.5) <= 200);
  QVERIFY(picture.textWidth(shorter, 11.5) > 180);
  QVERIFY(shorter.starts_with("/enc"));
  QVERIFY(shorter.find("…") != std::string::npos);
  QVERIFY(shorter.ends_with("MatMul"));
  QCOMPARE(picture.fitted(name, 2000, 11.5), name);
  QCOMPARE(picture.fitted(name, 3, 11.5), std::string());
  // Characters of several bytes are kept or left out as a whole.
  const std::string wide =
      picture.fitted("\u5c64\u5c64\u5c64\u5c64\u5c64\u5c64\u5c64\u5c64", 40, 11.5);
  QCOMPARE(QString::fromStdString(wide).toStdString(), wide);
  QVERIFY(!wide.empty() && picture.textWidth(wide, 11.5) <= 40);
}

void HeatmapTest::drawsWhereItWasTold() {
  const Colour ground{10, 20, 30};
  const Colour ink{250, 128, 3};
  const auto drawn = [&](const std::function<void(Picture&)>& draw) {
    Picture picture;
    draw(picture);
    return decoded(picture.png(24, 24, ground));
  };
  const auto inked = [&](const DecodedPicture& picture, unsigned x, unsigned y) {
    return picture.pixels[y * picture.width + x] == ink;
  };
  const auto filled = drawn([&](Picture& picture) { picture.fill(3, 4, 5, 6, ink); });
  const auto hatched = drawn([&](Picture& picture) { picture.hatch(3, 4, 12, 12, ink); });
  const auto dotted = drawn([&](Picture& picture) { picture.dot(3, 4, 12, 12, ink); });
  for (unsigned y = 0; y < 24; ++y) {
    for (unsigned x = 0; x < 24; ++x) {
      const bool inside = x >= 3 && x < 15 && y >= 4 && y < 16;
      QCOMPARE(inked(filled, x, y), x >= 3 && x < 8 && y >= 4 && y < 10);
      QCOMPARE(inked(hatched, x, y), inside && (x + y) % 6 == 0);
      QCOMPARE(inked(dotted, x, y), inside && x % 4 == 0 && y % 4 == 0);
    }
  }
  const auto empty = drawn([](Picture&) {});
  QVERIFY(std::ranges::count(empty.pixels, ground) == 24 * 24);
  // Text stands on its baseline, or climbs to the left of it.
  const auto marks = [&](Picture::Direction direction, auto region) {
    const auto written =
        drawn([&](Picture& picture) { picture.text(12, 12, "H", 14, ink, direction); });
    std::ptrdiff_t count = 0;
    for (unsigned y = 0; y < 24; ++y) {
      for (unsigned x = 0; x < 24; ++x) {
        if (region(x, y) && written.pixels[y * 24 + x] != ground) ++count;
      }
    }
    return count;
  };
  const auto above = [](unsigned x, unsigned y) { return x >= 12 && y <= 12; };
  const auto left = [](unsigned x, unsigned y) { return x <= 12 && y <= 12; };
  QVERIFY(marks(Picture::Direction::Right, above) > 20);
  QCOMPARE(marks(Picture::Direction::Right, std::not_fn(above)), 0);
  QVERIFY(marks(Picture::Direction::Up, left) > 20);
  QCOMPARE(marks(Picture::Direction::Up, std::not_fn(left)), 0);
}

void HeatmapTest::theSameAsSvg() {
  const AnalysisResult result = test::smallReport().result;
  const QByteArray svg = QByteArray::fromStdString(heatmapSvg(result));
  const DecodedPicture picture = decoded(heatmapPng(result));
  QXmlStreamReader reader(svg);
  QVERIFY(reader.readNextStartElement());
  QCOMPARE(reader.name().toString(), QString("svg"));
  const QString box = QString("0 0 %1 %2").arg(picture.width).arg(picture.height);
  QCOMPARE(reader.attributes().value("viewBox").toString(), box);
  QStringList fills;
  while (!reader.atEnd()) {
    reader.readNext();
    const QXmlStreamAttributes attributes = reader.attributes();
    if (attributes.hasAttribute("fill")) fills << attributes.value("fill").toString();
    if (attributes.hasAttribute("style")) fills << attributes.value("style").toString();
    QVERIFY(reader.name() != QString("script"));
  }
  QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
  const Colour hot = errorColour(22.5);  // /features/Add
  const QString colour = QString("%1%").arg(100.0 * hot.red / 255, 0, 'f', 2).left(4);
  QVERIFY2(fills.join('\n').contains(colour), qPrintable(colour));
}

void HeatmapTest::namesStayOutOfTheSvg() {
  AnalysisResult result = test::smallReport().result;
  result.model = "</svg><script>alert(1)</script>";
  for (LayerResult& layer : result.layers) layer.name = layer.scope = result.model;
  const QByteArray svg = QByteArray::fromStdString(heatmapSvg(result));
  QVERIFY(!svg.contains("script") && !svg.contains("alert"));
  QCOMPARE(svg.count("</svg>"), 1);
}

QUANTSCOPE_TEST(HeatmapTest)
#include "test_heatmap.moc"

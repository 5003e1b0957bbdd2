#include "bench/ui/heatmap_frames.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <random>

#include "widgets/heatmap/heatmap_canvas.h"

namespace quantscope::bench {
namespace {

constexpr int kRows = 5000;
constexpr int kColumns = 512;
constexpr int kFrames = 100;  // at each zoom

std::shared_ptr<const HeatmapData> generatedTable() {
  HeatmapColumns heading;
  heading.count = kColumns;
  heading.noun = QStringLiteral("channel");
  heading.measures = {{QStringLiteral("SQNR"), QStringLiteral("local SQNR"), {}, ErrorScale()}};
  heading.groups = {{QStringLiteral("Channels"), {}, 0, kColumns}};
  auto data = std::make_shared<HeatmapData>(heading);
  std::minstd_rand random(1);
  std::normal_distribution<double> sqnrDb(38, 6);
  std::vector<Figure> figures(kColumns, {Figure::Kind::Value, 0});
  for (int row = 0; row < kRows; ++row) {
    for (Figure& figure : figures) figure.value = sqnrDb(random);
    HeatmapRow head;
    head.name = QStringLiteral("depthwise/conv_%1").arg(row);
    head.op = QStringLiteral("Conv + BN + ReLU");
    head.scope = "/stage" + std::to_string(row / 400) + "/block" + std::to_string(row / 25);
    // Every fifth layer has fewer channels, every ninth is left in float.
    const std::size_t count = row % 5 == 0 ? kColumns / 4 : kColumns;
    if (row % 9 == 0) {
      data->addRow(head, {}, Figure::Kind::NotQuantized);
    } else {
      data->addRow(head, std::span(figures).first(count));
    }
  }
  return data;
}

double frameMs(HeatmapCanvas& canvas, QPoint step) {
  QScrollBar* across = canvas.horizontalScrollBar();
  QScrollBar* down = canvas.verticalScrollBar();
  QElapsedTimer timer;
  timer.start();
  across->setValue(across->value() + step.x());
  down->setValue(down->value() + step.y());
  canvas.viewport()->repaint();
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

}  // namespace

FrameTimes measureHeatmap() {
  HeatmapCanvas canvas;
  canvas.resize(1600, 1000);
  canvas.setData(generatedTable());
  canvas.show();
  QApplication::processEvents();
  std::vector<double> frames;
  for (const double factor : {2.5, 4.0, 4.0, 4.0}) {
    canvas.zoomAt(QRectF(canvas.cellLayout().cells).center(), factor);
    canvas.viewport()->repaint();
    for (int frame = 0; frame < kFrames; ++frame) {
      const int sign = frame < kFrames / 2 ? 1 : -1;
      frames.push_back(frameMs(canvas, {sign * (frame % 3 == 0 ? 24 : 0), sign * 60}));
    }
  }
  return summarize(std::move(frames));
}

}  // namespace quantscope::bench

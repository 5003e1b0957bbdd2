// Scrolls a heatmap of 5,000 rows and 512 channels at 1600 × 1000, from rows of half a pixel to
// cells with their numbers, and prints what a frame takes: moving the scroll bar and painting. The
// time on the processor tells what of it is ours on a machine that is busy with other things.

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include "widgets/heatmap/heatmap_canvas.h"

using namespace quantscope;

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

double quantile(std::vector<double>& values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  HeatmapCanvas canvas;
  canvas.resize(1600, 1000);
  canvas.setData(generatedTable());
  canvas.show();
  QApplication::processEvents();
  std::vector<double> all;
  const std::clock_t before = std::clock();
  std::printf("{\"rows\": %d, \"columns\": %d, \"zooms\": [", kRows, kColumns);
  const char* separator = "";
  for (const double factor : {2.5, 4.0, 4.0, 4.0}) {
    QElapsedTimer timer;
    timer.start();
    canvas.zoomAt(QRectF(canvas.cellLayout().cells).center(), factor);
    canvas.viewport()->repaint();
    const double zoomMs = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    std::vector<double> frames;
    for (int frame = 0; frame < kFrames; ++frame) {
      const int sign = frame < kFrames / 2 ? 1 : -1;
      frames.push_back(frameMs(canvas, {sign * (frame % 3 == 0 ? 24 : 0), sign * 60}));
    }
    all.insert(all.end(), frames.begin(), frames.end());
    std::printf("%s{\"row_height\": %.2f, \"zoom_ms\": %.2f, \"frame_ms_median\": %.2f}", separator,
                canvas.cellLayout().rowHeight(), zoomMs, quantile(frames, 0.5));
    separator = ", ";
  }
  const double busyMs = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::printf(
      "], \"processor_ms_per_frame\": %.2f, \"heatmap_frame_ms_median\": %.2f, "
      "\"heatmap_frame_ms_p95\": %.2f}\n",
      busyMs / static_cast<double>(all.size()), quantile(all, 0.5), quantile(all, 0.95));
  return 0;
}

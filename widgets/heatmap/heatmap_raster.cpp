#include "widgets/heatmap/heatmap_raster.h"

#include <QFont>
#include <QFontInfo>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kHatchPeriod = 6;
constexpr int kDotPeriod = 4;
// From this size on, cells are separated by a line of the surface.
constexpr double kGapFrom = 6;

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto part = [share](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * share));
  };
  return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

// A run of pixels that show the same columns.
struct Run {
  int begin = 0;  // in the image
  int end = 0;
  CellSpan columns;
};

std::vector<Run> runsOf(const CellAxis& axis, int origin, int begin, int end) {
  std::vector<Run> runs;
  end = std::min(end, axis.length() - origin);
  for (int x = begin; x < end;) {
    const CellSpan columns = axis.cellsAt(origin + x);
    const int next = std::min(end, axis.end(columns.first) - origin);
    runs.push_back({x, std::max(next, x + 1), columns});
    x = runs.back().end;
  }
  return runs;
}

// Prints three digits, two, or nothing: a cut number would be wrong.
QString fitting(double value, const QFontMetrics& metrics, double width) {
  const QString rough = QString::number(value, 'g', 2).replace(u'-', QStringLiteral("−"));
  for (const QString& number : {shortText(value), rough}) {
    if (metrics.horizontalAdvance(number) <= width) return number;
  }
  return {};
}

bool isGap(const CellAxis& axis, int cell, int pixel) {
  return axis.size >= kGapFrom && pixel == axis.end(cell) - 1;
}

}  // namespace

HeatmapColours::HeatmapColours(const Theme& theme, double threshold, const ErrorScale& scale)
    : m_surface(theme.surface.rgb()),
      m_calm(mix(theme.surface, theme.border, 0.55).rgb()),
      m_ground(theme.raised.rgb()),
      m_lines(mix(theme.surface, theme.hatch, 0.7).rgb()),
      m_threshold(threshold) {
  for (std::size_t i = 0; i < m_ramp.size(); ++i) {
    m_ramp[i] =
        scale.colourAt(static_cast<double>(i) / static_cast<double>(m_ramp.size() - 1)).rgb();
  }
}

QRgb HeatmapColours::at(float heat, int x, int y) const {
  if (isFigure(heat)) {
    // At the calm end nothing is greyed, however calm.
    if (m_threshold > 0 && static_cast<double>(heat) < m_threshold) return m_calm;
    const float step = std::clamp(heat, 0.0F, 1.0F) * static_cast<float>(m_ramp.size() - 1);
    return m_ramp[static_cast<std::size_t>(step + 0.5F)];
  }
  if (heat == kEmptyHeat) return m_surface;
  if (heat == kNotQuantizedHeat) return (x + y) % kHatchPeriod == 0 ? m_lines : m_ground;
  return x % kDotPeriod == 1 && y % kDotPeriod == 1 ? m_lines : m_surface;
}

const QImage& HeatmapRaster::image(const HeatmapScene& scene, const HeatmapLayout& layout,
                                   const Theme& theme, const QFont& font) {
  const QSize size(static_cast<int>(std::ceil(layout.cells.width() * layout.ratio)),
                   static_cast<int>(std::ceil(layout.cells.height() * layout.ratio)));
  const QPoint delta = layout.origin - m_origin;
  const bool overlaps = std::abs(delta.x()) < size.width() && std::abs(delta.y()) < size.height();
  const QRect all(QPoint(), size);
  std::vector<QRect> exposed;
  if (!m_valid || m_image.size() != size || !overlaps) {
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    m_colours = HeatmapColours(theme, scene.threshold, scene.anyScale());
    exposed.push_back(all);
  } else if (!delta.isNull()) {
    scroll(delta);
    const QRect kept = all.translated(-delta) & all;
    if (kept.top() > 0) exposed.emplace_back(0, 0, size.width(), kept.top());
    if (kept.bottom() < all.bottom()) {
      exposed.emplace_back(0, kept.bottom() + 1, size.width(), all.bottom() - kept.bottom());
    }
    if (kept.left() > 0) exposed.emplace_back(0, 0, kept.left(), size.height());
    if (kept.right() < all.right()) {
      exposed.emplace_back(kept.right() + 1, 0, all.right() - kept.right(), size.height());
    }
  }
  m_valid = true;
  m_origin = layout.origin;
  m_image.setDevicePixelRatio(1);
  for (const QRect& part : exposed) {
    draw(scene, layout, part);
    drawNumbers(scene, layout, font, part);
  }
  m_image.setDevicePixelRatio(layout.ratio);
  return m_image;
}

void HeatmapRaster::scroll(QPoint delta) {
  const int width = m_image.width() - std::abs(delta.x());
  const int height = m_image.height() - std::abs(delta.y());
  const int from = std::max(delta.x(), 0);
  const int to = std::max(-delta.x(), 0);
  for (int i = 0; i < height; ++i) {
    // Away from the rows that are still to be read.
    const int row = delta.y() >= 0 ? i : height - 1 - i;
    auto* target = reinterpret_cast<QRgb*>(m_image.scanLine(row + std::max(-delta.y(), 0)));
    const auto* source =
        reinterpret_cast<const QRgb*>(m_image.constScanLine(row + std::max(delta.y(), 0)));
    std::memmove(target + to, source + from, static_cast<std::size_t>(width) * sizeof(QRgb));
  }
}

void HeatmapRaster::draw(const HeatmapScene& scene, const HeatmapLayout& layout,
                         const QRect& exposed) {
  const std::vector<Run> runs =
      runsOf(layout.columns, layout.origin.x(), exposed.left(), exposed.right() + 1);
  const CellSpan columns =
      runs.empty() ? CellSpan{} : CellSpan{runs.front().columns.first, runs.back().columns.end};
  std::vector<float> worst(static_cast<std::size_t>(columns.count()));
  std::vector<float> heats(runs.size());
  CellSpan shown{-1, -1};
  for (int y = exposed.top(); y <= exposed.bottom(); ++y) {
    QRgb* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
    const int tableY = layout.origin.y() + y;
    const CellSpan rows = layout.rows.cellsAt(tableY);
    if (rows.count() == 0 || runs.empty() || isGap(layout.rows, rows.first, tableY)) {
      std::fill(line + exposed.left(), line + exposed.right() + 1, m_colours.surface());
      continue;
    }
    if (rows != shown) {
      scene.pyramid.worst(rows, columns, worst);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto first = worst.begin() + (runs[i].columns.first - columns.first);
        heats[i] = *std::max_element(first, first + runs[i].columns.count());
      }
      shown = rows;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Run& run = runs[i];
      if (HeatmapColours::plain(heats[i])) {
        std::fill(line + run.begin, line + run.end, m_colours.at(heats[i], 0, 0));
      } else {
        for (int x = run.begin; x < run.end; ++x) {
          line[x] = m_colours.at(heats[i], layout.origin.x() + x, tableY);
        }
      }
      if (isFigure(heats[i]) &&
          isGap(layout.columns, run.columns.first, layout.origin.x() + run.end - 1)) {
        line[run.end - 1] = m_colours.surface();
      }
    }
    std::fill(line + runs.back().end, line + std::max(runs.back().end, exposed.right() + 1),
              m_colours.surface());
  }
}

void HeatmapRaster::drawNumbers(const HeatmapScene& scene, const HeatmapLayout& layout,
                                const QFont& font, const QRect& exposed) {
  const QFontMetrics metrics(font);
  const double padding = 6 * layout.ratio;
  const bool fits = layout.rowHeight() >= metrics.height() &&
                    layout.columnWidth() >= metrics.horizontalAdvance(QStringLiteral("−88.8")) + 10;
  const CellSpan rows{layout.rows.cellsAt(layout.origin.y() + exposed.top()).first,
                      layout.visibleRows().end};
  const CellSpan columns{layout.columns.cellsAt(layout.origin.x() + exposed.left()).first,
                         layout.visibleColumns().end};
  if (!fits || rows.count() <= 0 || columns.count() <= 0) return;

  QPainter painter(&m_image);
  painter.setClipRect(exposed);
  QFont scaled(font);
  scaled.setPixelSize(static_cast<int>(std::lround(QFontInfo(font).pixelSize() * layout.ratio)));
  painter.setFont(scaled);
  for (int row = rows.first; row < rows.end; ++row) {
    const int top = layout.rows.begin(row) - layout.origin.y();
    if (top > exposed.bottom()) break;
    for (int column = columns.first; column < columns.end; ++column) {
      const int left = layout.columns.begin(column) - layout.origin.x();
      if (left > exposed.right()) break;
      const float heat = scene.heat(row, column);
      if (!isFigure(heat)) continue;
      const QRectF cell(left, top, layout.columns.end(column) - layout.columns.begin(column),
                        layout.rows.end(row) - layout.rows.begin(row));
      const int dataRow = scene.order[static_cast<std::size_t>(row)];
      painter.setPen(ErrorScale::textOn(QColor(m_colours.at(heat, 0, 0))));
      const double value = scene.data->figure(dataRow, column)->value;
      painter.drawText(cell.adjusted(0, 0, -padding, 0), Qt::AlignRight | Qt::AlignVCenter,
                       fitting(value, QFontMetrics(scaled), cell.width() - 1.5 * padding));
    }
  }
}

}  // namespace quantscope

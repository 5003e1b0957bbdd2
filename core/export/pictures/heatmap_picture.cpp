#include "export/pictures/heatmap_picture.h"

#include <algorithm>
#include <cmath>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/pictures/heat_table.h"
#include "export/pictures/picture.h"
#include "export/pictures/scope_bands.h"

namespace quantscope {
namespace {

constexpr Colour kPaper{255, 255, 255};
constexpr Colour kInk{34, 38, 46};
constexpr Colour kQuiet{96, 103, 115};
constexpr Colour kLine{206, 211, 219};
constexpr Colour kNothing{240, 242, 245};
constexpr Colour kPattern{168, 174, 184};

constexpr int kMargin = 28;
constexpr int kHeader = 168;  // title, legend and headings
constexpr int kBracket = 24;  // width of one level of scopes
constexpr std::size_t kLevels = 2;
constexpr std::size_t kMinShortened = 8;  // shorter names of scopes stand whole or not at all
constexpr int kMaxNames = 330;            // width of the layers' names
constexpr int kGroupGap = 22;
constexpr int kMinWidth = 900;

constexpr int kMaxHeight = 2400;  // of the table
constexpr int kTallRow = 20;
constexpr int kShortRow = 16;  // the lowest that a name fits in
constexpr std::size_t kFewRows = 60;

constexpr std::size_t kMaxSamples = 48;
constexpr std::size_t kMaxChannels = 16;

constexpr double kTitleText = 19;  // heights of the font
constexpr double kPlainText = 13;
constexpr double kSmallText = 11.5;

// Rows of the picture: strip i of `strips` shows the layers [first(i), first(i + 1)).
struct Strips {
  std::size_t layers = 0;
  std::size_t strips = 0;
  int height = 1;  // of one strip

  std::size_t first(std::size_t strip) const { return strip * layers / strips; }
  int y(std::size_t strip) const { return kHeader + static_cast<int>(strip) * height; }
  // The strip that shows a layer.
  std::size_t of(std::size_t layer) const {
    std::size_t strip = std::min(layer * strips / layers, strips - 1);
    while (strip > 0 && first(strip) > layer) --strip;
    while (strip + 1 < strips && first(strip + 1) <= layer) ++strip;
    return strip;
  }
  int bottom() const { return y(strips); }
};

Strips stripsFor(std::size_t layers) {
  const auto most = static_cast<std::size_t>(kMaxHeight);
  if (layers <= kFewRows) return {layers, layers, kTallRow};
  if (layers > most) return {layers, most, 1};
  return {layers, layers, std::min(kShortRow, kMaxHeight / static_cast<int>(layers))};
}

struct Column {
  int x = 0;
  int width = 0;
  bool number = false;  // wide enough to print the value
};

struct Columns {
  int names = 0;  // where the names end
  std::vector<Column> columns;
  std::vector<int> groupX;
  int right = 0;
};

std::vector<ScopeBand> bandsOf(const AnalysisResult& result) {
  std::vector<std::string> scopes;
  for (const LayerResult& layer : result.layers) scopes.push_back(layer.scope);
  return scopeBands(scopes, kLevels);
}

int bracketsWidth(const std::vector<ScopeBand>& bands) {
  std::size_t levels = 0;
  for (const ScopeBand& band : bands) levels = std::max(levels, band.level + 1);
  return kBracket * static_cast<int>(levels);
}

int namesWidth(const Picture& picture, const AnalysisResult& result) {
  double widest = 0;
  for (const LayerResult& layer : result.layers) {
    widest = std::max(widest, picture.textWidth(layer.name, kSmallText));
    if (widest > kMaxNames) return kMaxNames;
  }
  return static_cast<int>(std::ceil(widest));
}

int columnWidth(std::size_t group, std::size_t columns) {
  if (group == 0) return 66;
  return std::clamp(480 / static_cast<int>(columns), 8, 20);
}

// `names`: where the names end.
Columns columnsFor(const Picture& picture, const HeatTable& table, int names) {
  Columns result;
  result.names = names;
  int x = result.names + 12;
  for (std::size_t group = 0; group < table.groups.size(); ++group) {
    const std::size_t count = table.groups[group].labels.size();
    const int width = columnWidth(group, count);
    result.groupX.push_back(x);
    for (std::size_t i = 0; i < count; ++i, x += width) {
      result.columns.push_back({x, width, group == 0});
    }
    // A heading needs its room even over a single narrow column.
    const auto heading = static_cast<int>(
        std::ceil(std::max(picture.textWidth(table.groups[group].title, kPlainText),
                           picture.textWidth(table.groups[group].note, kSmallText))));
    x = std::max(x, result.groupX.back() + heading) + kGroupGap;
  }
  result.right = x - kGroupGap;
  return result;
}

void drawCell(Picture& picture, HeatCell cell, int x, int y, int width, int height) {
  switch (cell.kind) {
    case HeatCell::Kind::Empty:
      return;
    case HeatCell::Kind::Value:
      picture.fill(x, y, width, height, errorColour(cell.sqnrDb));
      return;
    case HeatCell::Kind::NotQuantized:
      picture.fill(x, y, width, height, kNothing);
      picture.hatch(x, y, width, height, kPattern);
      return;
    case HeatCell::Kind::NotComputed:
      picture.fill(x, y, width, height, kPaper);
      picture.dot(x, y, width, height, kPattern);
      return;
  }
}

std::string cellText(double sqnrDb) {
  if (std::isinf(sqnrDb)) return sqnrDb > 0 ? "equal" : "−∞";
  return fixedNumber(sqnrDb, 1);
}

void drawNumber(Picture& picture, HeatCell cell, const Column& column, int y, int height) {
  const std::string text = cellText(cell.sqnrDb);
  picture.text(column.x + (column.width - picture.textWidth(text, kPlainText)) / 2,
               y + height / 2.0 + Picture::kCapital / 2 * kPlainText, text, kPlainText,
               textColourOn(errorColour(cell.sqnrDb)));
}

void drawTable(Picture& picture, const HeatTable& table, const Columns& columns,
               const Strips& strips) {
  const bool spaced = strips.height >= kShortRow;
  for (std::size_t strip = 0; strip < strips.strips; ++strip) {
    for (std::size_t column = 0; column < columns.columns.size(); ++column) {
      HeatCell cell{.kind = HeatCell::Kind::Empty};
      for (std::size_t row = strips.first(strip); row < strips.first(strip + 1); ++row) {
        cell = worse(cell, table.rows[row][column]);
      }
      const Column& place = columns.columns[column];
      const int y = strips.y(strip);
      const int gap = spaced ? 1 : 0;
      drawCell(picture, cell, place.x, y, place.width - (place.width > 8 ? 1 : 0),
               strips.height - gap);
      if (spaced && place.number && cell.kind == HeatCell::Kind::Value) {
        drawNumber(picture, cell, place, y, strips.height - gap);
      }
    }
  }
}

HeatCell worstOf(const LayerResult& layer) {
  const HeatCell local = localCell(layer);
  return local.kind == HeatCell::Kind::Value ? local : accumulatedCell(layer);
}

std::size_t worstLayer(const AnalysisResult& result, std::size_t first, std::size_t last) {
  std::size_t worst = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const HeatCell candidate = localCell(result.layers[i]);
    const HeatCell best = localCell(result.layers[worst]);
    if (candidate != best && worse(candidate, best) == candidate) worst = i;
  }
  return worst;
}

// Draws one name per row, or per as many rows as a name needs.
void drawNames(Picture& picture, const AnalysisResult& result, const Strips& strips, int right) {
  const auto stripsPerName =
      static_cast<std::size_t>(std::max(1, (kShortRow + strips.height - 1) / strips.height));
  const std::size_t names = std::max<std::size_t>(1, strips.strips / stripsPerName);
  for (std::size_t i = 0; i < names; ++i) {
    // The last name takes the strips that are too few for one of their own.
    const std::size_t strip = i * stripsPerName;
    const std::size_t end = i + 1 < names ? strip + stripsPerName : strips.strips;
    const std::size_t layer = worstLayer(result, strips.first(strip), strips.first(end));
    const std::string name = picture.fitted(result.layers[layer].name, kMaxNames, kSmallText);
    const double middle = (strips.y(strip) + strips.y(end)) / 2.0;
    const bool computed = worstOf(result.layers[layer]).kind == HeatCell::Kind::Value;
    picture.text(right - picture.textWidth(name, kSmallText),
                 middle + Picture::kCapital / 2 * kSmallText, name, kSmallText,
                 computed ? kInk : kQuiet);
  }
}

// The whole name, or its last part: "features.0", "0". Nothing where neither fits.
std::string bandName(const Picture& picture, const ScopeBand& band, int room) {
  const std::string last = band.name.substr(band.name.rfind('.') + 1);
  for (const std::string& name : {band.name, last}) {
    if (picture.textWidth(name, kSmallText) <= room) return name;
  }
  return last.size() > kMinShortened ? picture.fitted(last, room, kSmallText) : "";
}

void drawBrackets(Picture& picture, const std::vector<ScopeBand>& bands, const Strips& strips) {
  for (const ScopeBand& band : bands) {
    const int x = kMargin + kBracket * static_cast<int>(band.level);
    const int top = strips.y(strips.of(band.first)) + 1;
    const int bottom = strips.y(strips.of(band.last) + 1) - 2;
    if (bottom - top < 3) continue;
    picture.fill(x + kBracket - 8, top, 1, bottom - top, kPattern);
    picture.fill(x + kBracket - 8, top, 4, 1, kPattern);
    picture.fill(x + kBracket - 8, bottom - 1, 4, 1, kPattern);
    const std::string name = bandName(picture, band, bottom - top - 4);
    picture.text(x + kBracket - 12, (top + bottom + picture.textWidth(name, kSmallText)) / 2, name,
                 kSmallText, kQuiet, Picture::Direction::Up);
  }
}

void drawHeadings(Picture& picture, const HeatTable& table, const Columns& columns) {
  std::size_t column = 0;
  for (std::size_t group = 0; group < table.groups.size(); ++group) {
    const HeatGroup& heading = table.groups[group];
    const int x = columns.groupX[group];
    picture.text(x, kHeader - 40, heading.title, kPlainText, kInk);
    picture.text(x, kHeader - 24, heading.note, kSmallText, kQuiet);
    for (std::size_t i = 0; i < heading.labels.size(); ++i, ++column) {
      // Narrow columns have room for the first and the last label only.
      if (group > 0 && i > 0 && i + 1 < heading.labels.size()) continue;
      const std::string label = heading.labels[i];
      const Column& place = columns.columns[column];
      const double width = picture.textWidth(label, kSmallText);
      if (group > 0 && i > 0 && place.x - x < 2 * width + 8) continue;
      const double shift = group == 0 ? (place.width - width) / 2 : i > 0 ? place.width - width : 0;
      picture.text(place.x + shift, kHeader - 7, label, kSmallText, kQuiet);
    }
  }
}

void drawLegend(Picture& picture, int x, int y) {
  constexpr int kScaleWidth = 280;
  constexpr int kBar = 12;
  constexpr int kSwatch = 28;
  constexpr int kLegendGap = 10;
  const double calm = kErrorAnchorsDb.front();
  const double span = calm - kErrorAnchorsDb.back();
  for (int i = 0; i < kScaleWidth; ++i) {
    picture.fill(x + i, y, 1, kBar, errorColour(calm - span * i / (kScaleWidth - 1)));
  }
  for (const double anchor : kErrorAnchorsDb) {
    const int at = x + static_cast<int>(std::lround((calm - anchor) / span * (kScaleWidth - 1)));
    picture.fill(at, y + kBar, 1, 4, kQuiet);
    const std::string label = std::to_string(std::lround(anchor));
    picture.text(at - picture.textWidth(label, kSmallText) / 2, y + kBar + 16, label, kSmallText,
                 kInk);
  }
  int right = x + kScaleWidth;
  const auto write = [&](const char* text) {
    picture.text(right + kLegendGap, y + kBar - 2, text, kSmallText, kInk);
    right += kLegendGap + static_cast<int>(std::ceil(picture.textWidth(text, kSmallText)));
  };
  const auto explain = [&](HeatCell::Kind kind, const char* text) {
    right += kLegendGap * 3;
    drawCell(picture, {.kind = kind}, right, y, kSwatch, kBar);
    right += kSwatch;
    write(text);
  };
  write("dB SQNR, higher is better");
  explain(HeatCell::Kind::NotQuantized, "not quantized");
  explain(HeatCell::Kind::NotComputed, "not computed");
}

std::string subtitle(const AnalysisResult& result, const Strips& strips) {
  std::string text = counted(result.layers.size(), "layer") + ", " +
                     counted(result.samples, result.synthetic ? "SYNTHETIC sample" : "sample") +
                     ", " + result.backend;
  const std::optional<double> worstDb = worstOutputSqnr(result.outputs);
  if (!worstDb) return text;
  text += (result.outputs.size() > 1 ? ", worst output SQNR " : ", output SQNR ") +
          cellText(*worstDb) + " dB";
  if (strips.height < kShortRow) text += "; each name is that of the worst layer beside it";
  return text;
}

}  // namespace

PicturePage drawHeatmap(const AnalysisResult& result) {
  const HeatTable table = heatTable(result, kMaxSamples, kMaxChannels);
  const Strips strips = stripsFor(result.layers.size());
  PicturePage drawing;
  Picture& picture = drawing.picture;
  const std::vector<ScopeBand> bands = bandsOf(result);
  const Columns columns =
      columnsFor(picture, table, kMargin + bracketsWidth(bands) + namesWidth(picture, result));

  const int width = std::max(kMinWidth, columns.right + kMargin);
  picture.text(kMargin, kMargin + 16, picture.fitted(result.model, width - 2 * kMargin, kTitleText),
               kTitleText, kInk);
  picture.text(kMargin, kMargin + 40,
               picture.fitted(subtitle(result, strips), width - 2 * kMargin, kPlainText),
               kPlainText, kQuiet);
  drawLegend(picture, kMargin, kMargin + 54);
  drawHeadings(picture, table, columns);
  picture.fill(kMargin, kHeader - 3, width - 2 * kMargin, 1, kLine);
  if (!result.layers.empty()) {
    drawBrackets(picture, bands, strips);
    drawNames(picture, result, strips, columns.names);
    drawTable(picture, table, columns, strips);
  }
  drawing.width = width;
  drawing.height = strips.bottom() + kMargin;
  return drawing;
}

std::string heatmapPng(const AnalysisResult& result) {
  const PicturePage drawing = drawHeatmap(result);
  return drawing.picture.png(drawing.width, drawing.height, kPaper);
}

std::string heatmapSvg(const AnalysisResult& result) {
  const PicturePage drawing = drawHeatmap(result);
  return drawing.picture.svg(drawing.width, drawing.height, kPaper);
}

}  // namespace quantscope

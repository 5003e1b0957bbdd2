#include "widgets/graph/graph_legend.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "widgets/graph/painting/box_painter.h"
#include "widgets/graph/painting/graph_looks.h"
#include "widgets/graph/painting/observer_marks.h"
#include "widgets/graph/painting/overlay_card.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kRampWidth = 230;
constexpr int kKeysWidth = 236;
constexpr int kColumnGap = 24;
constexpr int kLegendMargin = 12;
constexpr int kLegendGap = 8;
constexpr int kBar = 10;
constexpr int kSwatch = 13;

int barHeight(int line) {
  return kBar + 2 + line;
}

// `note`: a line says that the colours are stretched.
int rampHeight(int line, bool note) {
  return (note ? 2 : 1) * line + kLegendGap + barHeight(line);
}

int keysHeight(int line, bool observers) {
  const int rows = observers ? 3 : 2;
  return rows * line + (rows - 1) * kLegendGap;
}

QFont smallFont(const QFont& font) {
  QFont small = font;
  small.setPointSizeF(font.pointSizeF() * 0.9);
  return small;
}

}  // namespace

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Legend of the graph"));
  setFont(smallFont(font()));
}

void GraphLegend::show(const AnalysisResult& result, const DisplayOptions& options,
                       bool observers) {
  m_observers = observers;
  m_scale = options.scale(result);
  const MetricDescription& metric = options.metric();
  m_title = titleOf(options.kind()) + QStringLiteral(" · ") + text(metric.title);
  const QString unit = text(metric.unit);
  if (!unit.isEmpty()) m_title += QStringLiteral(" (%1)").arg(unit);
  m_types.clear();
  for (const LayerResult& layer : result.layers) {
    if (layer.dataMover) continue;
    const QuantType type = precisionOf(layer);
    if (std::ranges::find(m_types, type) == m_types.end()) m_types.push_back(type);
  }
  std::ranges::sort(m_types);
  QString explained =
      QStringLiteral("<p>%1</p><p>%2</p>")
          .arg(text(metric.definition).toHtmlEscaped(), definitionOf(options.kind()));
  explained +=
      QStringLiteral("<p>%1</p>")
          .arg(tr("The stripe of a layer has the colour of its type; it is notched where the "
                  "layer has a precision of its own."));
  if (observers) {
    explained += QStringLiteral("<p>%1</p>")
                     .arg(tr("Filled marks are observers, which decide the range of what is "
                             "rounded there: round ones at an output, diamonds on an edge. Hollow "
                             "marks reuse the range of another one."));
  }
  setToolTip(explained);
  updateGeometry();
  resize(sizeHint());
  update();
}

GraphLegend::Form GraphLegend::form() const {
  for (const Form form : {Form::KeysBelow, Form::KeysBeside, Form::Ramp, Form::Bar}) {
    if (sizeOf(form).boundedTo(m_most) == sizeOf(form)) return form;
  }
  return Form::None;
}

void GraphLegend::setMost(const QSize& most) {
  const Form before = form();
  m_most = most;
  if (form() != before) resize(sizeHint());
}

QSize GraphLegend::sizeOf(Form form) const {
  const int line = QFontMetrics(font()).height();
  const int ramp = rampHeight(line, m_scale.stretched());
  const int keys = keysHeight(line, m_observers);
  switch (form) {
    case Form::KeysBeside:
      return {2 * kLegendMargin + kRampWidth + kColumnGap + kKeysWidth,
              2 * kLegendMargin + std::max(ramp, keys)};
    case Form::KeysBelow:
      return {2 * kLegendMargin + kKeysWidth, 2 * kLegendMargin + ramp + kLegendGap + keys};
    case Form::Ramp:
      return {2 * kLegendMargin + kRampWidth, 2 * kLegendMargin + ramp};
    case Form::Bar:
      return {2 * kLegendMargin + kRampWidth, kLegendMargin + barHeight(line)};
    case Form::None:
      break;
  }
  return {0, 0};
}

QSize GraphLegend::sizeHint() const {
  return sizeOf(form());
}

void GraphLegend::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintOverlayCard(painter, *this);
  paint(painter, form());
}

QSize GraphLegend::wholeSize() const {
  return sizeOf(Form::KeysBeside);
}

void GraphLegend::paintWhole(QPainter& painter) const {
  painter.setFont(font());
  paint(painter, Form::KeysBeside);
}

void GraphLegend::paint(QPainter& painter, Form form) const {
  const int ramp = rampHeight(QFontMetrics(font()).height(), m_scale.stretched());
  if (form == Form::Bar) {
    paintBar(painter, {kLegendMargin, kLegendMargin / 2.0, kRampWidth, kBar});
    return;
  }
  const int rampWidth = form == Form::KeysBelow ? kKeysWidth : kRampWidth;
  paintRamp(painter, {kLegendMargin, kLegendMargin, rampWidth, ramp});
  if (form == Form::KeysBeside)
    paintKeys(painter, kLegendMargin + kRampWidth + kColumnGap, kLegendMargin);
  if (form == Form::KeysBelow) paintKeys(painter, kLegendMargin, kLegendMargin + ramp + kLegendGap);
}

void GraphLegend::paintTitle(QPainter& painter, const QRect& row) const {
  const Theme& theme = Theme::of(palette());
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  painter.setFont(bold);
  painter.setPen(theme.text);
  painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(m_title, Qt::ElideRight, row.width()));
  painter.setFont(font());
}

void GraphLegend::paintRamp(QPainter& painter, const QRect& area) const {
  const int line = QFontMetrics(font()).height();
  paintTitle(painter, {area.left(), area.top(), area.width(), line});
  if (m_scale.stretched()) {
    painter.setPen(Theme::of(palette()).mutedText);
    painter.drawText(QRect(area.left(), area.top() + line, area.width(), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("stretched to this model"));
  }
  const int bar = area.top() + rampHeight(line, m_scale.stretched()) - barHeight(line);
  paintBar(painter, {QPointF(area.left(), bar), QSizeF(area.width(), kBar)});
}

void GraphLegend::paintBar(QPainter& painter, const QRectF& bar) const {
  constexpr int kStops = 16;
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  for (int i = 0; i <= kStops; ++i) {
    const double position = static_cast<double>(i) / kStops;
    gradient.setColorAt(position, m_scale.colourAt(position));
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(gradient);
  painter.drawRoundedRect(bar, 3, 3);

  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics(font());
  painter.setPen(theme.mutedText);
  double free = bar.left() - 1;
  for (const ErrorScale::Mark& mark : m_scale.marks()) {
    const double width = metrics.horizontalAdvance(mark.text);
    const double left = std::clamp(bar.left() + mark.position * bar.width() - width / 2, bar.left(),
                                   bar.right() - width);
    if (left <= free) continue;
    painter.drawText(QRectF(left, bar.bottom() + 2, width + 1, metrics.height()), Qt::AlignLeft,
                     mark.text);
    free = left + width + 4;
  }
}

// Rows: patterns for figures that are missing; bars of the precision types; marks of observers.
void GraphLegend::paintKeys(QPainter& painter, double from, double top) const {
  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics(font());
  const int line = metrics.height();
  const auto words = [&](double left, const QString& said) {
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(left, top, metrics.horizontalAdvance(said) + 2, line), Qt::AlignVCenter,
                     said);
    return left + metrics.horizontalAdvance(said) + 14;
  };
  const double inset = (line - kSwatch) / 2.0;
  double left = from;
  for (const Figure::Kind kind : {Figure::Kind::NotQuantized, Figure::Kind::NotComputed}) {
    painter.setPen(theme.hatch);
    painter.setBrush(absenceBrush(kind, theme));
    painter.drawRoundedRect(QRectF(left + 0.5, top + inset + 0.5, 20, kSwatch - 1), 3, 3);
    left = words(left + 26, absenceText(kind));
  }
  top += line + kLegendGap;
  left = from;
  for (const QuantType type : m_types) {
    paintPrecision(painter, QRectF(left + 1, top + inset, 5, kSwatch), type, theme);
    left = words(left + 12, text(name(type)));
  }
  if (m_observers) paintObserverKeys(painter, from, top + line + kLegendGap);
}

void GraphLegend::paintObserverKeys(QPainter& painter, double from, double top) const {
  using Mark = ObserverMarks::Mark;
  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics(font());
  const double middle = top + metrics.height() / 2.0;
  double left = from + 6;
  const auto words = [&](const QString& said) {
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(left + 9, top, metrics.horizontalAdvance(said) + 2, metrics.height()),
                     Qt::AlignVCenter, said);
    left += 9 + metrics.horizontalAdvance(said) + 16;
  };
  paintOutputShape(painter, {left, middle}, theme);
  left += 11;
  paintMarkShape(painter, {left, middle}, Mark::OnEdge, theme);
  words(tr("observer"));
  paintMarkShape(painter, {left, middle}, Mark::ReusesOutput, theme);
  left += 12;
  paintMarkShape(painter, {left, middle}, Mark::ReusesEdge, theme);
  words(tr("reuses one"));
}

}  // namespace quantscope

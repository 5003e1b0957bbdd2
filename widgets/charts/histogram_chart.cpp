#include "widgets/charts/histogram_chart.h"

#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QPainter>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QCategoryAxis>
#include <QtCharts/QLineSeries>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/number_text.h"
#include "widgets/charts/chart_ticks.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kHeight = 200;
constexpr std::size_t kMostLevels = 64;
constexpr double kRoom = 1.16;     // above the highest bin, for the labels of the band
constexpr double kPadding = 0.03;  // of the view, at either end

QCategoryAxis* addAxis(QChart& chart, Qt::Alignment side) {
  auto* axis = new QCategoryAxis;
  axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis->setStartValue(-1e300);
  axis->setTruncateLabels(false);
  chart.addAxis(axis, side);
  return axis;
}

bool hasTicks(QCategoryAxis& axis, const std::vector<ChartTick>& ticks) {
  const QStringList labels = axis.categoriesLabels();
  return std::ranges::equal(labels, ticks, [&axis](const QString& label, const ChartTick& tick) {
    return label == tick.text && axis.endValue(label) == tick.position;
  });
}

void setTicks(QCategoryAxis& axis, const std::vector<ChartTick>& ticks) {
  if (hasTicks(axis, ticks)) return;
  for (const QString& label : axis.categoriesLabels()) axis.remove(label);
  for (const ChartTick& tick : ticks) axis.append(tick.text, tick.position);
}

QColor faded(QColor colour, float alpha) {
  colour.setAlphaF(alpha);
  return colour;
}

}  // namespace

HistogramChart::HistogramChart(QWidget* parent)
    : QWidget(parent),
      m_scene(new QGraphicsScene(this)),
      m_chart(new QChart),
      m_referenceTop(new QLineSeries(this)),
      m_referenceBase(new QLineSeries(this)),
      m_reference(new QAreaSeries(m_referenceTop, m_referenceBase)),
      m_quantized(new QLineSeries),
      m_valueAxis(addAxis(*chart(), Qt::AlignBottom)),
      m_countAxis(addAxis(*chart(), Qt::AlignLeft)) {
  setAccessibleName(tr("Distribution"));
  m_scene->addItem(m_chart);
  connect(m_chart, &QChart::plotAreaChanged, this, [this] {
    if (!m_stale) update();
  });
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  // The section around the chart has the menu.
  setContextMenuPolicy(Qt::NoContextMenu);
  chart()->legend()->hide();
  chart()->setBackgroundVisible(false);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  // Half of the last label stands right of the plot.
  chart()->setMargins(QMargins(0, 0, 12, 0));
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  for (QAbstractSeries* series :
       {static_cast<QAbstractSeries*>(m_reference), static_cast<QAbstractSeries*>(m_quantized)}) {
    chart()->addSeries(series);
    series->attachAxis(m_valueAxis);
    series->attachAxis(m_countAxis);
  }
  colour();
}

QSize HistogramChart::sizeHint() const {
  return {280, kHeight};
}

QSize HistogramChart::minimumSizeHint() const {
  return {160, kHeight};
}

void HistogramChart::setData(const HistogramData& data) {
  if (data == m_data) return;
  if (m_handle) {
    const auto ends = std::pair(m_data.gridLow, m_data.gridHigh);
    m_lowBefore = data.gridLow;
    m_highBefore = data.gridHigh;
    m_data = data;
    std::tie(m_data.gridLow, m_data.gridHigh) = ends;
    return replot();
  }
  // More samples leave the chosen part in view; another range does not fit it.
  const bool sameRange = data.low == m_data.low && data.high == m_data.high;
  const bool sameType = data.type == m_data.type;
  m_data = data;
  m_hovered.reset();
  if (!sameType) colour();
  if (m_zoomed && sameRange) {
    replot();
  } else {
    showAll();
  }
}

void HistogramChart::setLogarithmic(bool logarithmic) {
  if (logarithmic == m_logarithmic) return;
  m_logarithmic = logarithmic;
  replot();
}

// The band may be far wider than the data, which should not shrink to a line beside it.
void HistogramChart::showAll() {
  m_zoomed = false;
  const double span = m_data.high - m_data.low;
  const double low = std::clamp(m_data.gridLow.value_or(m_data.low), m_data.low - span, m_data.low);
  const double high =
      std::clamp(m_data.gridHigh.value_or(m_data.high), m_data.high, m_data.high + span);
  setView(low - kPadding * (high - low), high + kPadding * (high - low));
}

void HistogramChart::shareAxis(HistogramChart& first, HistogramChart& second) {
  if (first.m_zoomed || second.m_zoomed || first.m_data.empty() || second.m_data.empty()) return;
  for (HistogramChart* each : {&first, &second}) each->showAll();  // of what it shows now
  const double low = std::min(first.m_viewLow, second.m_viewLow);
  const double high = std::max(first.m_viewHigh, second.m_viewHigh);
  for (HistogramChart* each : {&first, &second}) each->setView(low, high);
}

void HistogramChart::setView(double low, double high) {
  m_viewLow = low;
  m_viewHigh = high;
  replot();
}

QChart* HistogramChart::chart() const {
  if (m_stale) plot();
  return m_chart;
}

void HistogramChart::replot() {
  m_stale = true;
  update();
}

void HistogramChart::plot() const {
  QList<QPointF> top;
  QList<QPointF> steps;
  double most = 0;
  if (!m_data.empty()) {
    const double width = m_data.binWidth();
    const auto height = [this](double count) { return countHeight(count, m_logarithmic); };
    top << QPointF(m_data.low, 0);
    for (std::size_t i = 0; i < m_data.reference.size(); ++i) {
      const double left = m_data.low + static_cast<double>(i) * width;
      most = std::max(most, m_data.reference[i]);
      top << QPointF(left + width / 2, height(m_data.reference[i]));
      if (m_data.quantized.empty()) continue;
      most = std::max(most, m_data.quantized[i]);
      steps << QPointF(left, height(m_data.quantized[i]))
            << QPointF(left + width, height(m_data.quantized[i]));
    }
    top << QPointF(m_data.high, 0);
  }
  m_referenceTop->replace(top);
  m_referenceBase->replace({{m_data.low, 0}, {m_data.high, 0}});
  m_quantized->replace(steps);
  const int ticks = std::max(2, width() / 70);
  setTicks(*m_valueAxis, valueTicks(m_viewLow, m_viewHigh, ticks));
  m_valueAxis->setRange(m_viewLow, m_viewHigh);
  setTicks(*m_countAxis, countTicks(most, m_logarithmic));
  m_countAxis->setRange(0, std::max(1.0, countHeight(most, m_logarithmic)) * kRoom);
  m_scene->setSceneRect(rect());
  m_chart->resize(size());
  m_chart->layout()->activate();
  m_stale = false;
}

void HistogramChart::colour() {
  const Theme& theme = Theme::of(palette());
  m_reference->setBrush(faded(theme.mutedText, theme.dark ? 0.34F : 0.28F));
  m_reference->setPen(QPen(faded(theme.mutedText, 0.8F), 1));
  m_quantized->setPen(QPen(theme.precision(m_data.type), 1.5));
  QFont labels = font();
  labels.setPointSizeF(labels.pointSizeF() * 0.85);
  for (QCategoryAxis* axis : {m_valueAxis, m_countAxis}) {
    axis->setLabelsFont(labels);
    axis->setLabelsColor(theme.mutedText);
    axis->setLinePen(QPen(theme.border, 1));
    axis->setGridLinePen(QPen(faded(theme.border, 0.6F), 1));
  }
  m_valueAxis->setGridLineVisible(false);
}

double HistogramChart::toX(double value) const {
  const QRectF area = chart()->plotArea();
  return area.left() + (value - m_viewLow) / (m_viewHigh - m_viewLow) * area.width();
}

double HistogramChart::toValue(double x) const {
  const QRectF area = chart()->plotArea();
  return m_viewLow + (x - area.left()) / std::max(area.width(), 1.0) * (m_viewHigh - m_viewLow);
}

std::optional<std::size_t> HistogramChart::binAt(const QPoint& place) const {
  if (m_data.empty() || !chart()->plotArea().contains(place)) return std::nullopt;
  const double bin = std::floor((toValue(place.x()) - m_data.low) / m_data.binWidth());
  if (!(bin >= 0) || bin >= static_cast<double>(m_data.reference.size())) return std::nullopt;
  return static_cast<std::size_t>(bin);
}

QString HistogramChart::readOut(std::size_t bin) const {
  const double left = m_data.low + static_cast<double>(bin) * m_data.binWidth();
  const auto count = [](double n) { return text(grouped(static_cast<std::size_t>(n))); };
  QString words =
      tr("%1 … %2: %3 float")
          .arg(shortText(left), shortText(left + m_data.binWidth()), count(m_data.reference[bin]));
  if (!m_data.quantized.empty()) words += tr(", %1 quantized").arg(count(m_data.quantized[bin]));
  return words;
}

ViewPicture HistogramChart::picture(const QString& name) {
  if (m_data.empty()) return {};
  hover(std::nullopt, {});
  return {name, QSizeF(size()), [this](QPainter& painter) {
            painter.fillRect(QRectF(rect()), Theme::of(palette()).surface);
            paint(painter);
          }};
}

void HistogramChart::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paint(painter);
}

void HistogramChart::paint(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  if (m_stale) plot();
  drawBand(painter);
  const QRectF area(rect());
  m_scene->render(&painter, area, area);
  drawOver(painter);
}

void HistogramChart::drawBand(QPainter& painter) const {
  if (m_data.empty() || !m_data.gridLow || !m_data.gridHigh) return;
  const Theme& theme = Theme::of(palette());
  const QColor colour = theme.precision(m_data.type);
  const QRectF area = chart()->plotArea();
  painter.save();
  painter.setClipRect(area.adjusted(-1, 0, 1, 0));
  const double left = toX(*m_data.gridLow);
  const double right = toX(*m_data.gridHigh);
  painter.fillRect(QRectF(left, area.top(), right - left, area.height()),
                   faded(colour, theme.dark ? 0.13F : 0.08F));
  painter.setPen(QPen(faded(colour, 0.7F), 1));
  for (const double x : {left, right}) {
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  }
  painter.restore();
}

void HistogramChart::drawOver(QPainter& painter) const {
  const Theme& theme = Theme::of(palette());
  const QRectF area = chart()->plotArea();
  if (m_data.empty()) {
    painter.setPen(theme.mutedText);
    painter.drawText(area, Qt::AlignCenter, tr("no distribution"));
    return;
  }
  painter.setPen(QPen(theme.precision(m_data.type), 1));
  for (const double level : gridLevels(m_data, m_viewLow, m_viewHigh, kMostLevels)) {
    const double x = toX(level);
    painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() - 6));
  }
  drawBandLabels(painter);
  drawHandles(painter);
  if (m_hovered) {
    const double left = m_data.low + static_cast<double>(*m_hovered) * m_data.binWidth();
    const QRectF bin(QPointF(toX(left), area.top()),
                     QPointF(toX(left + m_data.binWidth()), area.bottom()));
    painter.fillRect(bin.intersected(area), faded(theme.accent, 0.25F));
  }
  if (m_dragFrom) {
    const QRectF chosen(QPointF(*m_dragFrom, area.top()), QPointF(m_dragTo, area.bottom()));
    painter.fillRect(chosen.normalized().intersected(area), faded(theme.accent, 0.18F));
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(area).adjusted(-0.5, -0.5, 0.5, 0.5));
  }
}

void HistogramChart::drawHandles(QPainter& painter) const {
  if (!m_data.movable || !m_data.gridLow || !m_data.gridHigh) return;
  constexpr double kWidth = 6;
  constexpr double kHandleHeight = 22;
  const Theme& theme = Theme::of(palette());
  const QRectF area = chart()->plotArea();
  painter.setPen(QPen(theme.surface, 1));
  painter.setBrush(theme.accent);
  for (const double end : {*m_data.gridLow, *m_data.gridHigh}) {
    const double x = toX(end);
    if (x < area.left() - 1 || x > area.right() + 1) continue;
    painter.drawRoundedRect(
        QRectF(x - kWidth / 2, area.center().y() - kHandleHeight / 2, kWidth, kHandleHeight), 3, 3);
  }
  painter.setBrush(Qt::NoBrush);
}

// Inside the band where there is room, else at its sides.
void HistogramChart::drawBandLabels(QPainter& painter) const {
  if (!m_data.gridLow || !m_data.gridHigh) return;
  const QRectF area = chart()->plotArea();
  painter.setFont(m_valueAxis->labelsFont());
  painter.setPen(Theme::of(palette()).text);
  const QFontMetricsF metrics(painter.font(), painter.device());
  const QString low = shortText(m_data.gridLow);
  const QString high = shortText(m_data.gridHigh);
  const double lowWidth = metrics.horizontalAdvance(low);
  const double highWidth = metrics.horizontalAdvance(high);
  const double left = toX(*m_data.gridLow);
  const double right = toX(*m_data.gridHigh);
  const bool inside = right - left > lowWidth + highWidth + 16;
  const double baseline = area.top() + metrics.ascent() + 2;
  const auto draw = [&](double x, double width, const QString& label, double end) {
    // An end beyond the view has its label at the border, with an arrow.
    const bool beyond = end < area.left() - 1 || end > area.right() + 1;
    const QString shown = !beyond ? label
                                  : (end < area.left() ? QStringLiteral("◂") : QString()) + label +
                                        (end > area.right() ? QStringLiteral("▸") : QString());
    const double shownWidth = beyond ? metrics.horizontalAdvance(shown) : width;
    const double place =
        std::clamp(x, area.left() + 3, std::max(area.left() + 3, area.right() - shownWidth - 3));
    painter.drawText(QPointF(place, baseline), shown);
  };
  draw(inside ? left + 4 : left - lowWidth - 4, lowWidth, low, left);
  draw(inside ? right - highWidth - 4 : right + 4, highWidth, high, right);
}

void HistogramChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) colour();
}

void HistogramChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  replot();
}

}  // namespace quantscope

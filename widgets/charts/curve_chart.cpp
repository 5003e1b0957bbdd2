#include "widgets/charts/curve_chart.h"

#include <QAreaSeries>
#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "widgets/copy/picture_actions.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr double kDotSize = 6;
constexpr double kMarkedSize = 13;
// Lines of text that a chart is high from which on its horizontal axis has a title: Qt elides the
// numbers of an axis that would take much of the chart.
constexpr int kTitledLines = 8;
// Lines that the horizontal axis and the margins take.
constexpr int kAxisLines = 2;
// Those of its title, with its margins.
constexpr int kTitleLines = 2;
// Margin beside the outermost points, as a share of the span.
constexpr double kBeside = 0.05;

void setSpan(QValueAxis& axis, double low, double high) {
  const double room = std::max((high - low) * kBeside, high == low ? 1.0 : 0.0);
  axis.setRange(low - room, high + room);
}

// About five labels at multiples of 1, 2 or 5 times a power of ten.
void setLabels(QValueAxis& axis) {
  if (axis.max() <= axis.min()) return;
  constexpr double kLabels = 5;
  const double least = (axis.max() - axis.min()) / kLabels;
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1}) {
    if (factor * power >= least) step = factor * power;
  }
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step))));
  axis.setTickType(QValueAxis::TicksDynamic);
  axis.setTickAnchor(0);
  axis.setTickInterval(step);
  axis.setLabelFormat(QStringLiteral("%.%1f").arg(decimals));
}

}  // namespace

CurveChart::CurveChart(QWidget* parent)
    : QWidget(parent),
      m_chart(new QChart),
      m_view(new QChartView(m_chart, this)),
      m_line(new QLineSeries(m_chart)),
      m_dots(new QScatterSeries(m_chart)),
      m_marked(new QScatterSeries(m_chart)),
      m_seconds(new QLineSeries(m_chart)),
      m_upright(new QLineSeries(m_chart)),
      m_beyondTop(new QLineSeries(m_chart)),
      m_beyond(new QAreaSeries(m_beyondTop)),
      m_horizontal(new QValueAxis(m_chart)),
      m_vertical(new QValueAxis(m_chart)),
      m_right(new QValueAxis(m_chart)) {
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_view);
  m_view->setRenderHint(QPainter::Antialiasing);
  m_view->setFrameShape(QFrame::NoFrame);
  m_view->setFocusPolicy(Qt::NoFocus);
  m_view->viewport()->installEventFilter(this);
  m_view->setMinimumSize(160, 120);
  m_chart->legend()->hide();
  m_chart->setMargins(QMargins(0, 4, 4, 0));
  m_chart->layout()->setContentsMargins(0, 0, 0, 0);
  m_chart->setBackgroundRoundness(0);
  m_chart->addAxis(m_horizontal, Qt::AlignBottom);
  m_chart->addAxis(m_vertical, Qt::AlignLeft);
  m_chart->addAxis(m_right, Qt::AlignRight);
  for (QAbstractSeries* series :
       {static_cast<QAbstractSeries*>(m_beyond), static_cast<QAbstractSeries*>(m_upright),
        static_cast<QAbstractSeries*>(m_seconds), static_cast<QAbstractSeries*>(m_line),
        static_cast<QAbstractSeries*>(m_dots), static_cast<QAbstractSeries*>(m_marked)}) {
    m_chart->addSeries(series);
    series->attachAxis(m_horizontal);
    series->attachAxis(series == m_seconds ? m_right : m_vertical);
  }
  m_dots->setMarkerSize(kDotSize);
  m_marked->setMarkerSize(kMarkedSize);
  m_view->setContextMenuPolicy(Qt::NoContextMenu);
  addPictureActions(this, QStringLiteral("curve"));
  dress();
}

void CurveChart::setContent(const Content& content) {
  if (content == m_content) return;
  m_content = content;
  m_horizontal->setTitleText(content.horizontal);
  m_vertical->setTitleText(content.vertical);
  m_right->setTitleText(content.second);
  const bool second = !content.second.isEmpty();
  m_right->setVisible(second);
  m_seconds->setVisible(second);
  const QList<QPointF> points(content.points.begin(), content.points.end());
  m_line->replace(points);
  m_dots->replace(points);
  QList<QPointF> seconds;
  for (std::size_t i = 0; second && i < content.points.size(); ++i) {
    seconds << QPointF(content.points[i].x(), content.seconds[i]);
  }
  m_seconds->replace(seconds);
  if (m_current >= points.size()) m_current = -1;
  fitTitles();
  setRanges();
  showCurrent();
}

// A title that does not fit would be elided, and take the room of the numbers.
void CurveChart::fitTitles() {
  const int line = fontMetrics().height();
  const bool titled = height() >= kTitledLines * line;
  m_horizontal->setTitleVisible(titled);
  const int upright = height() - (kAxisLines + (titled ? kTitleLines : 0)) * line;
  for (QValueAxis* axis : {m_vertical, m_right}) {
    axis->setTitleVisible(fontMetrics().horizontalAdvance(axis->titleText()) <= upright);
  }
}

void CurveChart::setRanges() {
  const std::vector<QPointF>& points = m_content.points;
  if (points.empty()) return;
  const auto [left, right] = std::ranges::minmax(points, {}, &QPointF::x);
  const auto [low, high] = std::ranges::minmax(points, {}, &QPointF::y);
  setSpan(*m_horizontal, left.x(), right.x());
  setSpan(*m_vertical, low.y(), high.y());
  if (!m_content.seconds.empty()) {
    const auto [least, most] = std::ranges::minmax(m_content.seconds);
    setSpan(*m_right, least, most);
  }
  for (QValueAxis* axis : {m_horizontal, m_vertical, m_right}) setLabels(*axis);
}

void CurveChart::setCurrent(int point) {
  m_current = point < static_cast<int>(m_content.points.size()) ? point : -1;
  showCurrent();
}

void CurveChart::setLimit(double limit) {
  m_limit = limit;
  showCurrent();
}

void CurveChart::showCurrent() {
  m_marked->clear();
  m_upright->clear();
  const double low = m_vertical->min();
  const double high = m_vertical->max();
  if (m_current >= 0) {
    const QPointF& point = m_content.points[static_cast<std::size_t>(m_current)];
    m_marked->append(point);
    m_upright->replace(QList<QPointF>{{point.x(), low}, {point.x(), high}});
  }
  const double from = std::clamp(m_limit, m_horizontal->min(), m_horizontal->max());
  m_beyond->setVisible(m_limit >= 0 && from < m_horizontal->max());
  m_beyondTop->replace(QList<QPointF>{{from, high}, {m_horizontal->max(), high}});
}

QPoint CurveChart::positionOf(int point) const {
  const QPointF& at = m_content.points[static_cast<std::size_t>(point)];
  const QPoint place =
      m_view->mapFromScene(m_chart->mapToScene(m_chart->mapToPosition(at, m_dots)));
  return m_view->viewport()->mapTo(this, place);
}

// The nearest along the line, so that it can be dragged.
void CurveChart::pickAt(const QPointF& place) {
  if (m_content.points.empty()) return;
  const QPointF inChart = m_chart->mapFromScene(m_view->mapToScene(place.toPoint()));
  const double x = m_chart->mapToValue(inChart, m_dots).x();
  const auto nearest = std::ranges::min_element(
      m_content.points, {}, [&](const QPointF& point) { return std::abs(point.x() - x); });
  pick(static_cast<int>(nearest - m_content.points.begin()));
}

void CurveChart::pick(int point) {
  if (point == m_current) return;
  setCurrent(point);
  Q_EMIT picked(point);
}

bool CurveChart::eventFilter(QObject* watched, QEvent* event) {
  const bool pressed = event->type() == QEvent::MouseButtonPress;
  if (pressed || event->type() == QEvent::MouseMove) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if ((mouse->buttons() & Qt::LeftButton) != 0) {
      if (pressed) setFocus(Qt::MouseFocusReason);
      pickAt(mouse->position());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void CurveChart::keyPressEvent(QKeyEvent* event) {
  const auto last = static_cast<int>(m_content.points.size()) - 1;
  int point = m_current;
  switch (event->key()) {
    case Qt::Key_Left:
      point = m_current - 1;
      break;
    case Qt::Key_Right:
      point = m_current + 1;
      break;
    case Qt::Key_Home:
      point = 0;
      break;
    case Qt::Key_End:
      point = last;
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  if (last >= 0) pick(std::clamp(point, 0, last));
}

void CurveChart::dress() {
  const Theme& theme = Theme::of(palette());
  m_chart->setBackgroundBrush(theme.surface);
  m_view->setBackgroundBrush(theme.surface);
  m_line->setPen(QPen(theme.accent, 2));
  m_dots->setColor(theme.accent);
  m_dots->setBorderColor(theme.surface);
  m_marked->setColor(theme.accent);
  m_marked->setBorderColor(theme.text);
  m_seconds->setPen(QPen(theme.mutedText, 1.5, Qt::DashLine));
  m_upright->setPen(QPen(hasFocus() ? theme.accent : theme.mutedText, hasFocus() ? 2 : 1));
  m_beyond->setPen(Qt::NoPen);
  m_beyond->setBrush(faint(theme.mutedText, 0.15));
  for (QValueAxis* axis : {m_horizontal, m_vertical, m_right}) {
    axis->setLabelsColor(theme.mutedText);
    axis->setTitleBrush(theme.text);
    axis->setTitleFont(font());
    axis->setLabelsFont(font());
    axis->setLinePenColor(theme.border);
    axis->setGridLineColor(theme.border);
  }
  m_right->setGridLineVisible(false);
}

void CurveChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  dress();
  fitTitles();
}

void CurveChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitTitles();
}

void CurveChart::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  dress();
}

void CurveChart::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  dress();
}

}  // namespace quantscope

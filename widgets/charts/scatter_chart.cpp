#include "widgets/charts/scatter_chart.h"

#include <QChart>
#include <QChartView>
#include <QEvent>
#include <QLineSeries>
#include <QScatterSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr double kPointSize = 7;
constexpr double kMarkedPoint = 13;
constexpr double kLeastSpan = 1;

bool isFinite(const QPointF& point) {
  return std::isfinite(point.x()) && std::isfinite(point.y());
}

}  // namespace

ScatterChart::ScatterChart(const QString& name, QWidget* parent)
    : QWidget(parent),
      m_chart(new QChart),
      m_view(new QChartView(m_chart, this)),
      m_series(new QScatterSeries(m_chart)),
      m_marked(new QScatterSeries(m_chart)),
      m_equal(new QLineSeries(m_chart)),
      m_horizontal(new QValueAxis(m_chart)),
      m_vertical(new QValueAxis(m_chart)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_view);
  m_view->setRenderHint(QPainter::Antialiasing);
  m_view->setFrameShape(QFrame::NoFrame);
  m_chart->legend()->hide();
  m_chart->setMargins(QMargins(4, 8, 12, 4));
  m_chart->setBackgroundRoundness(0);
  m_chart->addAxis(m_horizontal, Qt::AlignBottom);
  m_chart->addAxis(m_vertical, Qt::AlignLeft);
  for (QXYSeries* series : {static_cast<QXYSeries*>(m_equal), static_cast<QXYSeries*>(m_series),
                            static_cast<QXYSeries*>(m_marked)}) {
    m_chart->addSeries(series);
    series->attachAxis(m_horizontal);
    series->attachAxis(m_vertical);
  }
  m_series->setMarkerSize(kPointSize);
  m_marked->setMarkerSize(kMarkedPoint);
  connect(m_series, &QXYSeries::clicked, this, &ScatterChart::pick);
  m_view->setContextMenuPolicy(Qt::NoContextMenu);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  addActions(pictureActions(this, [this, name] { return picture(name); }));
  dress();
}

ViewPicture ScatterChart::picture(const QString& name) const {
  if (m_points.empty()) return {};
  return {name, QSizeF(size()), [this, whole = QRectF(rect())](QPainter& painter) {
            painter.setRenderHint(QPainter::Antialiasing);
            m_view->scene()->render(&painter, whole, whole);
          }};
}

void ScatterChart::setAxes(const QString& horizontal, const QString& vertical) {
  m_horizontal->setTitleText(horizontal);
  m_vertical->setTitleText(vertical);
}

void ScatterChart::setPoints(const std::vector<QPointF>& points) {
  m_points = points;
  QList<QPointF> shown;
  std::ranges::copy_if(points, std::back_inserter(shown), isFinite);
  double low = 0;
  double high = kLeastSpan;
  for (qsizetype i = 0; i < shown.size(); ++i) {
    const double least = std::min(shown[i].x(), shown[i].y());
    const double most = std::max(shown[i].x(), shown[i].y());
    low = i == 0 ? least : std::min(low, least);
    high = i == 0 ? most : std::max(high, most);
  }
  m_series->replace(shown);
  for (QValueAxis* axis : {m_horizontal, m_vertical}) {
    axis->setRange(low, std::max(high, low + kLeastSpan));
    axis->applyNiceNumbers();
  }
  const double from = std::min(m_horizontal->min(), m_vertical->min());
  const double to = std::max(m_horizontal->max(), m_vertical->max());
  m_equal->replace(QList<QPointF>{{from, from}, {to, to}});
  showCurrent();
}

void ScatterChart::setCurrent(int point) {
  m_current = point;
  showCurrent();
}

void ScatterChart::showCurrent() {
  m_marked->clear();
  const auto count = static_cast<int>(m_points.size());
  if (m_current < 0 || m_current >= count) return;
  const QPointF& point = m_points[static_cast<std::size_t>(m_current)];
  if (isFinite(point)) m_marked->append(point);
}

// The series tells the point itself, not its index.
void ScatterChart::pick(const QPointF& place) {
  const auto nearest = std::ranges::find(m_points, place);
  if (nearest != m_points.end()) Q_EMIT picked(static_cast<int>(nearest - m_points.begin()));
}

void ScatterChart::dress() {
  const Theme& theme = Theme::of(palette());
  m_chart->setBackgroundBrush(theme.surface);
  m_view->setBackgroundBrush(theme.surface);
  m_series->setColor(faint(theme.accent, 0.6));
  m_series->setBorderColor(theme.surface);
  m_marked->setColor(Qt::transparent);
  m_marked->setBorderColor(theme.text);
  m_equal->setPen(QPen(theme.mutedText, 1, Qt::DashLine));
  for (QValueAxis* axis : {m_horizontal, m_vertical}) {
    axis->setLabelFormat(QStringLiteral("%.0f"));
    axis->setLabelsColor(theme.mutedText);
    axis->setTitleBrush(theme.text);
    axis->setLinePenColor(theme.border);
    axis->setGridLineColor(theme.border);
  }
}

void ScatterChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) dress();
}

}  // namespace quantscope

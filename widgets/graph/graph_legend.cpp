#include "widgets/graph/graph_legend.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "widgets/graph/box_painter.h"
#include "widgets/graph/graph_looks.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kWidth = 272;
constexpr int kMargin = 12;
constexpr int kGap = 8;
constexpr int kBar = 10;
constexpr int kSwatch = 14;

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

void GraphLegend::show(const AnalysisResult& result, const DisplayOptions& options) {
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
  setToolTip(QStringLiteral("<p>%1</p><p>%2</p>")
                 .arg(text(metric.definition).toHtmlEscaped(), definitionOf(options.kind())));
  updateGeometry();
  resize(sizeHint());
  update();
}

QSize GraphLegend::sizeHint() const {
  const int line = QFontMetrics(font()).height();
  const int lines = m_scale.stretched() ? 4 : 3;
  return {kWidth, 2 * kMargin + lines * line + kBar + kSwatch + 4 * kGap};
}

void GraphLegend::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.border);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

  const QFontMetrics metrics(font());
  const int line = metrics.height();
  QRect row(kMargin, kMargin, width() - 2 * kMargin, line);
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(theme.text);
  painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(bold).elidedText(m_title, Qt::ElideRight, row.width()));
  painter.setFont(font());
  row.translate(0, line + kGap);
  paintRamp(painter, QRectF(row.left(), row.top(), row.width(), kBar));
  row.translate(0, kBar + line + kGap);
  if (m_scale.stretched()) {
    painter.setPen(theme.mutedText);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, tr("stretched to this model"));
    row.translate(0, line);
  }
  paintKeys(painter, row.top() + kGap / 2.0);
}

void GraphLegend::paintRamp(QPainter& painter, const QRectF& bar) const {
  constexpr int kStops = 16;
  QLinearGradient gradient(bar.topLeft(), bar.topRight());
  for (int i = 0; i <= kStops; ++i) {
    const double position = static_cast<double>(i) / kStops;
    gradient.setColorAt(position, ErrorScale::ramp(position));
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

// Two rows: patterns for figures that are missing, bars of the precision types.
void GraphLegend::paintKeys(QPainter& painter, double top) const {
  const Theme& theme = Theme::of(palette());
  const QFontMetrics metrics(font());
  const auto words = [&](double left, const QString& said) {
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(left, top, width() - left, kSwatch), Qt::AlignVCenter, said);
    return left + metrics.horizontalAdvance(said) + 14;
  };
  double left = kMargin;
  for (const Figure::Kind kind : {Figure::Kind::NotQuantized, Figure::Kind::NotComputed}) {
    const QRectF swatch(left + 0.5, top + 0.5, 20, kSwatch - 1);
    painter.setPen(theme.hatch);
    painter.setBrush(absenceBrush(kind, theme));
    painter.drawRoundedRect(swatch, 3, 3);
    left = words(left + 26, absenceText(kind));
  }
  top += metrics.height() + kGap;
  left = kMargin;
  for (const QuantType type : m_types) {
    paintPrecision(painter, QRectF(left + 1, top, 5, kSwatch), type, theme);
    left = words(left + 12, text(name(type)));
  }
}

}  // namespace quantscope

#include "widgets/charts/histogram_panel.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_legend.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

HistogramPanel::HistogramPanel(QWidget* parent)
    : QWidget(parent),
      m_legend(new HistogramLegend(this)),
      m_scale(new QToolButton(this)),
      m_chart(new HistogramChart(this)) {
  m_scale->setText(tr("log"));
  m_scale->setCheckable(true);
  m_scale->setChecked(true);
  m_scale->setAutoRaise(true);
  m_scale->setToolTip(
      tr("Logarithmic counts, so that the rare large values can be seen; "
         "otherwise linear"));
  m_scale->setAccessibleName(tr("Logarithmic counts"));
  connect(m_scale, &QToolButton::toggled, m_chart, &HistogramChart::setLogarithmic);
  auto* top = new QHBoxLayout;
  top->addWidget(m_legend, 1);
  top->addWidget(m_scale);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(m_chart, 1);
  m_pictureMenu = pictureActions(this, [this] { return picture(); });
}

void HistogramPanel::setData(const HistogramData& histogram) {
  m_legend->setData(histogram);
  m_chart->setData(histogram);
  setVisible(!histogram.empty());
}

ViewPicture HistogramPanel::picture() const {
  ViewPicture chart = m_chart->picture(m_pictureName);
  if (chart.size.isEmpty()) return {};
  constexpr int kBorder = 4;
  const int width = static_cast<int>(chart.size.width());
  const int legend = m_legend->heightForWidth(width - 2 * kBorder) + kBorder;
  ViewPicture picture;
  picture.name = chart.name;
  picture.size = {chart.size.width(), chart.size.height() + legend};
  picture.paint = [this, paintChart = std::move(chart.paint), size = picture.size, width,
                   legend](QPainter& painter) {
    painter.fillRect(QRectF(QPointF(), size), Theme::of(palette()).surface);
    painter.save();
    painter.translate(kBorder, kBorder);
    m_legend->paint(painter, width - 2 * kBorder);
    painter.restore();
    painter.translate(0, legend);
    paintChart(painter);
  };
  return picture;
}

QString HistogramPanel::readOut(std::size_t bin) const {
  return m_chart->readOut(bin);
}

bool HistogramPanel::logarithmic() const {
  return m_scale->isChecked();
}

void HistogramPanel::setLogarithmic(bool logarithmic) {
  m_scale->setChecked(logarithmic);
}

QString HistogramPanel::asText() const {
  const HistogramData& histogram = m_chart->data();
  QString lines = tr("from\tto\tfloat");
  if (!histogram.quantized.empty()) lines += tr("\tquantized");
  for (std::size_t i = 0; i < histogram.reference.size(); ++i) {
    const double left = histogram.low + static_cast<double>(i) * histogram.binWidth();
    lines += u'\n' + exactText(left) + u'\t' + exactText(left + histogram.binWidth()) + u'\t' +
             exactText(histogram.reference[i]);
    if (!histogram.quantized.empty()) lines += u'\t' + exactText(histogram.quantized[i]);
  }
  return lines + u'\n';
}

}  // namespace quantscope

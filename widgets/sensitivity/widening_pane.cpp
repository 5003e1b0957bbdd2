#include "widgets/sensitivity/widening_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "base/number_text.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

constexpr QuantType kWiderTypes[] = {QuantType::Int16, QuantType::Float16, QuantType::Float32};
constexpr double kKilobyte = 1000;

QString words(const WideningPoint& point, const WideningPoint& start) {
  const double more = point.point.bytes - start.point.bytes;
  const QString cost =
      (more < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text(byteSize(std::abs(more)));
  return WideningPane::tr("k = %1: %2, %3 (%4)")
      .arg(point.count)
      .arg(withUnit(point.point.sqnrDb, QStringLiteral("dB")), text(byteSize(point.point.bytes)),
           cost);
}

// The knee of the curve: where the gain is furthest ahead of the bytes, both as shares of the most
// that any point has. Exact outputs have no place on it. 0 where there is no such point.
std::size_t kneeOf(const WideningCurve& curve) {
  const auto measured = [](const WideningPoint& each) {
    return each.count > 0 && each.point.sqnrDb && std::isfinite(*each.point.sqnrDb);
  };
  if (curve.empty() || !curve.front().point.sqnrDb) return 0;
  const ParetoPoint& start = curve.front().point;
  double mostGain = 0;
  double mostBytes = 0;
  for (const WideningPoint& each : curve) {
    if (!measured(each)) continue;
    mostGain = std::max(mostGain, *each.point.sqnrDb - *start.sqnrDb);
    mostBytes = std::max(mostBytes, each.point.bytes - start.bytes);
  }
  if (!(mostGain > 0)) return 0;
  std::size_t knee = 0;
  double furthest = -std::numeric_limits<double>::infinity();
  for (const WideningPoint& each : curve) {
    if (!measured(each) || *each.point.sqnrDb <= *start.sqnrDb) continue;
    const double gain = (*each.point.sqnrDb - *start.sqnrDb) / mostGain;
    const double cost = mostBytes > 0 ? (each.point.bytes - start.bytes) / mostBytes : 0;
    if (gain - cost <= furthest) continue;
    furthest = gain - cost;
    knee = each.count;
  }
  return knee;
}

}  // namespace

WideningPane::WideningPane(QWidget* parent)
    : QWidget(parent),
      m_type(new QComboBox),
      m_k(new QSpinBox),
      m_chart(new CurveChart),
      m_words(new QLabel),
      m_status(new QLabel),
      m_apply(new QPushButton) {
  for (const QuantType type : kWiderTypes) {
    m_type->addItem(typeTitle(type), static_cast<int>(type));
    m_type->setItemData(m_type->count() - 1, typeDefinition(type), Qt::ToolTipRole);
  }
  // Every backend leaves a layer in float.
  setType(QuantType::Float32);
  m_type->setAccessibleName(tr("Wider type"));
  m_k->setPrefix(tr("k = "));
  m_k->setKeyboardTracking(false);
  m_k->setAccessibleName(tr("Number of wider layers"));
  m_k->setToolTip(tr("Any number of layers: what is not in the curve yet is measured"));
  m_chart->setAccessibleName(tr("SQNR and bytes by the number of wider layers"));
  m_chart->setToolTip(tr("Drag, or use the arrow keys, to choose k"));
  m_words->setWordWrap(true);
  m_status->setWordWrap(true);
  m_status->setForegroundRole(QPalette::PlaceholderText);
  auto* top = new FlowLayout(8);
  for (QWidget* each :
       std::initializer_list<QWidget*>{new QLabel(tr("The k worst in")), m_type, m_k, m_apply}) {
    top->addWidget(each);
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(m_words);
  layout->addWidget(m_chart, 1);
  layout->addWidget(m_status);
  connect(m_type, &QComboBox::activated, this, &WideningPane::typeChanged);
  connect(m_chart, &CurveChart::picked, this, [this](int point) {
    chooseCount(m_curve[m_drawn[static_cast<std::size_t>(point)]].count);
  });
  connect(m_k, &QSpinBox::valueChanged, this, [this](int count) {
    chooseCount(static_cast<std::size_t>(count));
    if (current() == nullptr && !m_earlier) Q_EMIT countRequested(m_count);
  });
  connect(m_apply, &QPushButton::clicked, this, [this] {
    if (current() != nullptr) Q_EMIT applyRequested(m_count);
  });
  setHint({});
}

QuantType WideningPane::type() const {
  return static_cast<QuantType>(m_type->currentData().toInt());
}

void WideningPane::setType(QuantType type) {
  const int place = m_type->findData(static_cast<int>(type));
  if (place >= 0) m_type->setCurrentIndex(place);
}

std::optional<std::size_t> WideningPane::chosenCount() const {
  return m_chosen ? std::optional(m_count) : std::nullopt;
}

void WideningPane::setHint(const QString& sentence) {
  m_chosen = false;
  m_earlier = false;
  draw({}, 0, sentence);
}

void WideningPane::setCurve(const WideningCurve& curve, std::size_t most, const RunStatus& status) {
  m_earlier = false;
  draw(curve, most, status.words);
}

void WideningPane::setEarlierCurve(const WideningCurve& curve, std::size_t most,
                                   const QString& words) {
  m_earlier = true;
  draw(curve, most, words);
}

// Exact outputs have no place on an axis of decibels; the words still tell of them.
void WideningPane::draw(const WideningCurve& curve, std::size_t most, const QString& status) {
  m_curve = curve;
  m_count = std::min(m_count, most);
  const QSignalBlocker quiet(m_k);
  m_k->setRange(0, static_cast<int>(most));
  CurveChart::Content content;
  content.horizontal = tr("k: layers in %1").arg(typeTitle(type()));
  content.vertical = tr("Worst output (dB)");
  content.second = tr("Bytes (kB), dashed");
  m_drawn.clear();
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const std::optional<double>& sqnrDb = curve[i].point.sqnrDb;
    if (!sqnrDb || !std::isfinite(*sqnrDb)) continue;
    content.points.emplace_back(static_cast<double>(curve[i].count), *sqnrDb);
    content.seconds.push_back(curve[i].point.bytes / kKilobyte);
    m_drawn.push_back(i);
  }
  m_chart->setContent(content);
  m_chart->setVisible(!curve.empty());
  m_words->setVisible(!curve.empty());
  m_status->setText(status);
  m_status->setVisible(!status.isEmpty());
  m_status->setAlignment(curve.empty() ? Qt::AlignCenter : Qt::AlignLeft);
  showCurrent();
}

const WideningPoint* WideningPane::current() const {
  const auto found = std::ranges::find(m_curve, m_count, &WideningPoint::count);
  return found == m_curve.end() ? nullptr : &*found;
}

void WideningPane::chooseCount(std::size_t count) {
  m_count = count;
  m_chosen = true;
  showCurrent();
}

void WideningPane::showCurrent() {
  if (!m_chosen && !m_curve.empty()) m_count = kneeOf(m_curve);
  const WideningPoint* point = current();
  const auto drawn = std::ranges::find_if(
      m_drawn, [&](std::size_t place) { return m_curve[place].count == m_count; });
  m_chart->setCurrent(drawn == m_drawn.end() ? -1 : static_cast<int>(drawn - m_drawn.begin()));
  const QSignalBlocker quiet(m_k);
  m_k->setValue(static_cast<int>(m_count));
  m_k->setVisible(!m_curve.empty());
  const QString missing = m_earlier ? tr("k = %1 was not measured.").arg(m_count)
                                    : tr("k = %1 is being measured…").arg(m_count);
  m_words->setText(point != nullptr ? words(*point, m_curve.front()) : missing);
  m_apply->setText(tr("Apply k = %1").arg(m_count));
  m_apply->setVisible(!m_curve.empty());
  const bool applies = canApply();
  // A button that is switched off would hand the keyboard to another panel.
  if (!applies && window()->focusWidget() == m_apply && !m_curve.empty()) m_chart->setFocus();
  m_apply->setEnabled(applies);
}

}  // namespace quantscope

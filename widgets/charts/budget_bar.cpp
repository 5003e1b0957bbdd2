#include "widgets/charts/budget_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "base/number_text.h"
#include "widgets/copy/picture_actions.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kBudgetBar = 14;
constexpr int kBudgetSwatch = 10;
constexpr int kBelowBar = 4;
constexpr int kBetweenLabels = 12;
constexpr double kLeastShare = 0.005;  // less cannot be seen

// The parts have no colours of their own: colours mean error, type and severity. Shades of the
// accent from full to faint; the part without a cause of its own is hatched.
QBrush brushOf(std::size_t part, const Theme& theme) {
  constexpr double kStrengths[] = {0.35, 1, 0.7, 0.5, 0.2};
  if (part < std::size(kStrengths)) return faint(theme.accent, kStrengths[part]);
  return {theme.hatch, Qt::BDiagPattern};
}

}  // namespace

BudgetBar::BudgetBar(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(tr("Error budget"));
  addPictureActions(this, QStringLiteral("error-budget"));
  hide();
}

void BudgetBar::setParts(std::vector<BudgetPart> parts) {
  m_parts = std::move(parts);
  QStringList words;
  for (const BudgetPart& part : m_parts) words << labelText(part);
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  setVisible(!m_parts.empty());
  updateGeometry();
  update();
}

QString BudgetBar::labelText(const BudgetPart& part) const {
  return part.title + u' ' + text(percent(part.share));
}

std::vector<BudgetBar::Label> BudgetBar::labels(int width) const {
  std::vector<Label> labels;
  const int line = fontMetrics().height() + 2;
  QPoint place(0, kBudgetBar + kBelowBar);
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    if (m_parts[i].share < kLeastShare) continue;
    const int own = kBudgetSwatch + 4 + fontMetrics().horizontalAdvance(labelText(m_parts[i])) + 1;
    if (place.x() > 0 && place.x() + own > width) place = {0, place.y() + line};
    labels.push_back({i, QRect(place, QSize(own, line))});
    place.rx() += own + kBetweenLabels;
  }
  return labels;
}

int BudgetBar::heightForWidth(int width) const {
  const std::vector<Label> all = labels(width);
  return all.empty() ? kBudgetBar : all.back().rect.bottom() + 1;
}

QSize BudgetBar::sizeHint() const {
  return {240, heightForWidth(std::max(width(), 240))};
}

QRectF BudgetBar::barOf(std::size_t part) const {
  double before = 0;
  for (std::size_t i = 0; i < part; ++i) before += m_parts[i].share;
  return {before * width(), 0, m_parts[part].share * width(), kBudgetBar};
}

void BudgetBar::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath whole;
  whole.addRoundedRect(QRectF(0, 0, width(), kBudgetBar), 3, 3);
  painter.save();
  painter.setClipPath(whole);
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    const QRectF bar = barOf(i);
    painter.fillRect(bar, brushOf(i, theme));
    if (i > 0 && bar.width() > 2)
      painter.fillRect(QRectF(bar.left(), 0, 1, kBudgetBar), theme.surface);
  }
  painter.restore();
  painter.strokePath(whole, QPen(theme.border, 1));
  for (const Label& label : labels(width())) {
    const QRectF swatch(label.rect.left(), label.rect.center().y() - kBudgetSwatch / 2.0 + 1,
                        kBudgetSwatch, kBudgetSwatch);
    painter.fillRect(swatch, brushOf(label.part, theme));
    painter.setPen(theme.border);
    painter.drawRect(swatch);
    painter.setPen(theme.text);
    painter.drawText(label.rect.adjusted(kBudgetSwatch + 4, 0, 2, 0), Qt::AlignVCenter,
                     labelText(m_parts[label.part]));
  }
}

QString BudgetBar::wordsAt(const QPoint& place) const {
  const auto words = [this](std::size_t part) {
    return labelText(m_parts[part]) + u'\n' + m_parts[part].definition;
  };
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    if (barOf(i).contains(place)) return words(i);
  }
  for (const Label& label : labels(width())) {
    if (label.rect.contains(place)) return words(label.part);
  }
  return {};
}

bool BudgetBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), wordsAt(help->pos()), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace quantscope

#include "widgets/graph/painting/finding_badge.h"

#include <algorithm>

#include "widgets/look/severity_sign.h"

namespace quantscope {
namespace {

// Sizes in scene pixels at scale 1.
constexpr double kHeight = 18;
constexpr double kSign = 9;
constexpr double kBadgePadding = 5;
constexpr double kBadgeGap = 3;
constexpr double kDigit = 7;
constexpr int kLetters = 11;
constexpr double kBeyond = 6;  // the box, to the right
constexpr double kRaised = 4;  // over its upper edge, so that buttons in the corner stay free

// Below this scale the badge grows against the scale, so that it stays visible.
constexpr double kOwnSize = 0.7;
constexpr double kMostGrowth = 2.2;
constexpr std::size_t kMostCounted = 999;

double growth(const GraphDetail& detail) {
  return std::clamp(kOwnSize / detail.scale, 1.0, kMostGrowth);
}

QString numberOf(const FindingSum& findings) {
  return findings.count > kMostCounted ? QStringLiteral("%1+").arg(kMostCounted)
                                       : QString::number(findings.count);
}

}  // namespace

QRectF badgeRect(const DrawnBox& box, const FindingSum& findings, const GraphDetail& detail) {
  if (findings.count == 0 || !detail.fine) return {};
  const double number = kBadgeGap + kDigit * static_cast<double>(numberOf(findings).size());
  const double grown = growth(detail);
  const QSizeF size = QSizeF(2 * kBadgePadding + kSign + detail.names * number, kHeight) * grown;
  return {QPointF(box.rect.right() + kBeyond - size.width(),
                  box.rect.top() - kRaised * grown - size.height() / 2),
          size};
}

void paintBadge(QPainter& painter, const DrawnBox& box, const BoxLook& look,
                const GraphLooks& looks, const GraphDetail& detail) {
  const QRectF badge = badgeRect(box, look.findings, detail);
  if (badge.isEmpty()) return;
  const Theme& theme = looks.theme;
  const double grown = growth(detail);
  painter.setPen(QPen(colourOf(look.findings.worst, theme), 1.2 * grown));
  painter.setBrush(theme.surface);
  painter.drawRoundedRect(badge, badge.height() / 2, badge.height() / 2);
  const QRectF sign(badge.left() + kBadgePadding * grown, badge.center().y() - kSign * grown / 2,
                    kSign * grown, kSign * grown);
  drawSeverity(painter, sign, look.findings.worst, theme);
  if (detail.names <= 0) return;
  QFont font = looks.font;
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setPixelSize(static_cast<int>(kLetters * grown));
  font.setBold(true);
  QColor ink = theme.text;
  ink.setAlphaF(static_cast<float>(detail.names));
  painter.setFont(font);
  painter.setPen(ink);
  painter.drawText(QRectF(sign.right(), badge.top(), badge.right() - sign.right(), badge.height())
                       .adjusted(0, 0, -kBadgeGap * grown, 0),
                   Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip,
                   numberOf(look.findings));
}

}  // namespace quantscope

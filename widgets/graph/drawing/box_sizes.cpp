#include "widgets/graph/drawing/box_sizes.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

constexpr int kTitlePixels = 13;
constexpr int kNamePixels = 11;
constexpr double kCardHeight = 56;
constexpr double kValueHeight = 28;
constexpr double kPillHeight = 24;
constexpr double kCardPadding = 32;  // both sides and the stripe
constexpr double kFigureWidth = 70;  // "−12.3 dB" beside the name, and its distance
constexpr double kButtonWidth = 26;  // of cards that can be opened
constexpr double kPillPadding = 24;
constexpr double kFrameTitlePadding = 48;  // a button and both sides
constexpr double kMaxFrameTitle = 240;
constexpr double kCardStep = 24;

QFont sized(QFont font, int pixels, bool bold) {
  font.setHintingPreference(QFont::PreferNoHinting);
  font.setPixelSize(pixels);
  font.setBold(bold);
  return font;
}

double inSteps(double width) {
  return std::clamp(std::ceil(width / kCardStep) * kCardStep, 6 * kCardStep, 11 * kCardStep);
}

double ofPill(double textWidth) {
  return std::clamp(std::ceil(textWidth + kPillPadding), 56.0, 200.0);
}

}  // namespace

BoxSizes::BoxSizes(const QFont& font)
    : m_title(sized(font, kTitlePixels, true)), m_name(sized(font, kNamePixels, false)) {}

double BoxSizes::width(const QString& words, const QFontMetricsF& metrics,
                       QHash<QString, double>& known) {
  const auto found = known.constFind(words);
  if (found != known.constEnd()) return *found;
  const double width = metrics.horizontalAdvance(words);
  known.insert(words, width);
  return width;
}

QSizeF BoxSizes::sizeOf(const DrawnBox& box) {
  switch (box.kind) {
    case DrawnBox::Kind::DataMover:
    case DrawnBox::Kind::Constant:
      return {ofPill(width(box.title, m_name, m_names)), kPillHeight};
    case DrawnBox::Kind::Input:
    case DrawnBox::Kind::Output:
      // Bold letters are a little wider.
      return {ofPill(width(box.title, m_name, m_names) * 1.1), kValueHeight};
    default:
      break;
  }
  const bool opens = box.kind != DrawnBox::Kind::Layer;
  const double title = width(box.title, m_title, m_titles) + (opens ? kButtonWidth : 0);
  const double name = width(box.subtitle, m_name, m_names) + kFigureWidth;
  return {inSteps(std::max(title, name) + kCardPadding), kCardHeight};
}

double BoxSizes::frameWidth(const QString& title) {
  return std::min(width(title, m_name, m_names) * 1.1, kMaxFrameTitle) + kFrameTitlePadding;
}

}  // namespace quantscope

#include "widgets/precision/type_segments.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include "widgets/look/theme.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/precision/type_segment.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

TypeSegment::State stateOf(const TypeOffer& offer, std::size_t layers) {
  if (offer.having == 0) return TypeSegment::State::Off;
  return offer.having == layers ? TypeSegment::State::On : TypeSegment::State::Some;
}

}  // namespace

TypeSegments::TypeSegments(PrecisionEditor* editor, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_more(new TypeSegment(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  for (std::size_t i = 0; i < kFrontTypes; ++i) {
    auto* segment = new TypeSegment(this);
    const QuantType type = wholeTypes()[i];
    segment->setText(typeTitle(type));
    segment->setAccessibleName(typeTitle(type));
    segment->setType(type);
    connect(segment, &QAbstractButton::clicked, editor, [editor, type] { editor->setType(type); });
    layout->addWidget(segment);
    m_segments.push_back(segment);
  }
  layout->addWidget(m_more);
  connect(m_more, &QAbstractButton::clicked, this, &TypeSegments::openRest);
  connect(editor, &PrecisionEditor::gainsChanged, this, &TypeSegments::showGains);
  for (TypeSegment* segment : m_segments) segment->setRoomForNotes(true);
  m_more->setRoomForNotes(true);
}

void TypeSegments::refresh() {
  const SelectedPrecision& selected = m_editor->selected();
  if (selected.empty()) return;
  for (std::size_t i = 0; i < kFrontTypes; ++i) {
    const TypeOffer& offer = selected.offers[i];
    m_segments[i]->setState(stateOf(offer, selected.layers.size()));
    m_segments[i]->setEnabled(offer.able > 0);
    m_segments[i]->setToolTip(typeTip(offer, selected.layers.size()));
  }
  const TypeOffer* common = selected.common();
  const bool behind = common != nullptr && common >= &selected.offers[kFrontTypes];
  bool any = false;
  for (std::size_t i = kFrontTypes; i < selected.offers.size(); ++i) {
    any = any || selected.offers[i].able > 0;
  }
  m_more->setEnabled(any);
  m_more->setText(behind ? typeTitle(common->type) : tr("more"));
  m_more->setType(behind ? std::optional(common->type) : std::nullopt);
  m_more->setState(behind ? TypeSegment::State::On : TypeSegment::State::Off);
  m_more->setToolTip(any ? tr("The other types that the layer can be set to.")
                         : tr("The backend has no other type for it."));
  showGains();
}

void TypeSegments::showGains() {
  const SelectedPrecision& selected = m_editor->selected();
  const ConfigGains& gains = m_editor->gains();
  for (std::size_t i = 0; i < kFrontTypes && !selected.empty(); ++i) {
    const TypeOffer& offer = selected.offers[i];
    const std::optional<ConfigGain> gain = i < gains.size() ? gains[i] : std::nullopt;
    m_segments[i]->setNotes(gain ? gainWords(*gain) : QString(),
                            gain ? bytesWords(*gain) : QString(), gain && !gain->measured);
    QString tip = typeTip(offer, selected.layers.size());
    if (gain) tip += u'\n' + gainSentence(*gain);
    m_segments[i]->setToolTip(tip);
  }
}

void TypeSegments::openRest() {
  QMenu menu(this);
  menu.setToolTipsVisible(true);
  const SelectedPrecision& selected = m_editor->selected();
  for (std::size_t i = kFrontTypes; i < selected.offers.size(); ++i) {
    addType(menu, *m_editor, i, {});
  }
  menu.exec(m_more->mapToGlobal(QPoint(0, m_more->height())));
}

void TypeSegments::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.border);
  painter.setBrush(theme.surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace quantscope

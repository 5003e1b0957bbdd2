#include "widgets/findings/finding_detail.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "export/number_text.h"
#include "widgets/findings/finding_groups.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QLabel* wrapped(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

void setWords(QLabel* label, const QString& words) {
  label->setText(words);
  label->setVisible(!words.isEmpty());
}

QString figureWords(const Finding& finding) {
  return FindingDetail::tr("%1: %2, threshold %3. Confidence %4.")
      .arg(detectorTitle(finding.detector), shortText(finding.statistic),
           shortText(finding.threshold), text(percent(finding.confidence)));
}

}  // namespace

QString gainWords(const Finding& finding) {
  if (!finding.suggestion || !finding.suggestion->gainDb) return {};
  const double gain = *finding.suggestion->gainDb;
  const QString number = gain > 0 ? u'+' + shortText(gain) : shortText(gain);
  return FindingDetail::tr("%1 dB at the network's output, from running it so.").arg(number);
}

FindingDetail::FindingDetail(QWidget* parent)
    : QScrollArea(parent), m_nothing(wrapped(nullptr)), m_words(new QWidget) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Finding"));
  auto* content = new QWidget;
  m_sentence = wrapped(m_words);
  QFont strong = m_sentence->font();
  strong.setWeight(QFont::DemiBold);
  m_sentence->setFont(strong);
  m_why = wrapped(m_words);
  m_figures = wrapped(m_words);
  m_figures->setForegroundRole(QPalette::PlaceholderText);
  m_suggestion = wrapped(m_words);
  auto* words = new QVBoxLayout(m_words);
  words->setContentsMargins(12, 8, 12, 8);
  words->setSpacing(6);
  for (QLabel* label : {m_sentence, m_why, m_figures, m_suggestion}) words->addWidget(label);
  auto* buttons = new QHBoxLayout;
  m_apply = addButton(buttons, tr("Apply"), tr("Changes the scheme as suggested"));
  m_applyAlike = addButton(buttons, {}, tr("The same for all listed findings of this detector"));
  m_dismiss = addButton(buttons, {}, tr("Puts the finding aside, or brings it back"));
  buttons->addStretch(1);
  words->addLayout(buttons);
  words->addStretch(1);
  m_nothing->setText(tr("Select a finding to see why it matters, what shows it, and what helps."));
  m_nothing->setForegroundRole(QPalette::PlaceholderText);
  m_nothing->setMargin(12);
  m_nothing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins({});
  layout->addWidget(m_nothing);
  layout->addWidget(m_words);
  setWidget(content);
  connect(m_apply, &QPushButton::clicked, this, &FindingDetail::applyClicked);
  connect(m_applyAlike, &QPushButton::clicked, this, &FindingDetail::applyAlikeClicked);
  connect(m_dismiss, &QPushButton::clicked, this, &FindingDetail::dismissClicked);
  show(nullptr, false, 0);
}

QPushButton* FindingDetail::addButton(QLayout* layout, const QString& title,
                                      const QString& toolTip) {
  auto* button = new QPushButton(title, m_words);
  button->setToolTip(toolTip);
  layout->addWidget(button);
  return button;
}

void FindingDetail::show(const Finding* finding, bool dismissed, std::size_t alike) {
  m_nothing->setVisible(finding == nullptr);
  m_words->setVisible(finding != nullptr);
  if (finding == nullptr) return;
  setWords(m_sentence, text(finding->text));
  setWords(m_why, text(finding->why));
  setWords(m_figures, figureWords(*finding));
  QString suggestion;
  if (finding->suggestion) {
    suggestion = text(finding->suggestion->text);
    const QString gain = gainWords(*finding);
    if (!gain.isEmpty()) suggestion += u' ' + gain;
  }
  setWords(m_suggestion, suggestion);
  const bool applicable = finding->suggestion && !finding->suggestion->changes.empty();
  m_apply->setVisible(applicable);
  m_applyAlike->setVisible(applicable && alike > 1);
  m_applyAlike->setText(tr("Apply All %1 of This Kind").arg(alike));
  m_dismiss->setText(dismissed ? tr("Bring Back") : tr("Dismiss"));
}

QString FindingDetail::asText() const {
  QStringList lines;
  for (const QLabel* label : {m_sentence, m_why, m_figures, m_suggestion}) {
    if (!label->text().isEmpty()) lines << label->text();
  }
  return m_words->isHidden() ? QString() : lines.join(u'\n');
}

}  // namespace quantscope

#include "widgets/findings/finding_detail.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/controls/flow_layout.h"
#include "widgets/controls/wrapped_label.h"
#include "widgets/look/text.h"
#include "widgets/words/finding_words.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

constexpr int kLeastWidth = 260;
constexpr int kSpacing = 6;

void setWords(QLabel* label, const QString& words) {
  label->setText(words);
  label->setVisible(!words.isEmpty());
}

}  // namespace

FindingDetail::FindingDetail(QWidget* parent)
    : QScrollArea(parent), m_nothing(new WrappedLabel), m_words(new QWidget) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Finding"));
  setMinimumWidth(kLeastWidth);
  auto* content = new QWidget;
  m_sentence = new WrappedLabel(m_words);
  QFont strong = m_sentence->font();
  strong.setWeight(QFont::DemiBold);
  m_sentence->setFont(strong);
  m_why = new WrappedLabel(m_words);
  m_figures = new WrappedLabel(m_words);
  m_figures->setForegroundRole(QPalette::PlaceholderText);
  m_suggestion = new WrappedLabel(m_words);
  auto* words = new QVBoxLayout(m_words);
  words->setContentsMargins(12, 8, 12, 8);
  words->setSpacing(kSpacing);
  // The remedy comes first, so that it is visible in a low panel; the reasons follow.
  words->addWidget(m_sentence);
  words->addWidget(m_suggestion);
  addButtons(words);
  words->addWidget(m_why);
  words->addWidget(m_figures);
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
  connect(m_repair, &QPushButton::clicked, this, &FindingDetail::repairClicked);
  connect(m_dismiss, &QPushButton::clicked, this, &FindingDetail::dismissClicked);
  show({});
}

void FindingDetail::addButtons(QVBoxLayout* words) {
  auto* buttons = new FlowLayout(kSpacing);
  m_apply = addButton(buttons, tr("Apply"), tr("Changes the configuration as suggested (A)"));
  m_repair = addButton(buttons, {}, {});
  m_dismiss = addButton(buttons, {}, tr("Puts the finding aside, or brings it back (Del)"));
  m_applyAlike =
      addButton(buttons, {},
                tr("The same for all listed findings of this detector whose suggestion loses "
                   "nothing (Shift+A)"));
  words->addLayout(buttons);
}

QPushButton* FindingDetail::addButton(QLayout* layout, const QString& title,
                                      const QString& toolTip) {
  auto* button = new QPushButton(title, m_words);
  button->setToolTip(toolTip);
  layout->addWidget(button);
  return button;
}

void FindingDetail::show(const About& about) {
  const Finding* finding = about.finding;
  m_nothing->setVisible(finding == nullptr);
  m_words->setVisible(finding != nullptr);
  if (finding == nullptr) return;
  setWords(m_sentence, text(finding->text));
  setWords(m_why, text(finding->why));
  setWords(m_figures, figureWords(*finding));
  setWords(m_suggestion, suggestionWords(*finding, about.pending));
  const bool applicable = canBeApplied(*finding);
  m_apply->setVisible(applicable);
  m_applyAlike->setVisible(applicable && about.alike > 1);
  m_applyAlike->setText(tr("Apply All %1 of This Kind").arg(about.alike));
  showRepair(about);
  m_dismiss->setText(about.dismissed ? tr("Bring Back") : tr("Dismiss"));
}

// With what it wins, as soon as that is measured.
void FindingDetail::showRepair(const About& about) {
  m_repair->setVisible(about.repairable);
  const FittingGain* fitting = about.fitting;
  const bool wins = fitting != nullptr && !fitting->kept.empty();
  m_repair->setText(wins ? tr("Repair: %1…").arg(gainWords(fitting->gain)) : tr("Repair…"));
  m_repair->setToolTip(fitting != nullptr
                           ? fittingSentence(*fitting)
                           : tr("Tries the repairs that act on this fault, and says what each "
                                "wins"));
}

}  // namespace quantscope

#include "widgets/findings/finding_detail.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/controls/flow_layout.h"
#include "widgets/controls/wrapped_label.h"
#include "widgets/look/text.h"
#include "widgets/words/finding_words.h"
#include "widgets/words/gain_words.h"
#include "widgets/words/layer_names.h"

namespace quantscope {
namespace {

constexpr int kLeastWidth = 260;
constexpr int kSpacing = 6;
constexpr int kDetailMargin = 12;
constexpr int kLeastWords = 36;

void setWords(QLabel* label, const QString& words) {
  label->setText(words);
  label->setVisible(!words.isEmpty());
}

}  // namespace

FindingDetail::FindingDetail(QWidget* parent)
    : QWidget(parent),
      m_nothing(new WrappedLabel),
      m_words(new QWidget),
      m_buttons(new QWidget(this)) {
  setAccessibleName(tr("Finding"));
  setMinimumWidth(kLeastWidth);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(0);
  layout->addWidget(buildWords(), 1);
  layout->addWidget(buildButtons());
  show({});
}

QScrollArea* FindingDetail::buildWords() {
  m_sentence = new WrappedLabel(m_words);
  QFont strong = m_sentence->font();
  strong.setWeight(QFont::DemiBold);
  m_sentence->setFont(strong);
  m_why = new WrappedLabel(m_words);
  m_figures = new WrappedLabel(m_words);
  m_figures->setForegroundRole(QPalette::PlaceholderText);
  m_suggestion = new WrappedLabel(m_words);
  m_layers = new WrappedLabel(m_words);
  m_layers->setTextFormat(Qt::RichText);
  m_layers->setTextInteractionFlags(Qt::TextBrowserInteraction);
  m_layers->setAccessibleName(tr("Channels of its layers"));
  connect(m_layers, &QLabel::linkActivated, this, &FindingDetail::clickLayer);
  auto* words = new QVBoxLayout(m_words);
  words->setContentsMargins(kDetailMargin, 8, kDetailMargin, 8);
  words->setSpacing(kSpacing);
  // The remedy comes first, so that what Apply does is in sight in a low panel; the fault is in the
  // list, too.
  for (QLabel* label : {m_suggestion, m_sentence, m_layers, m_why, m_figures})
    words->addWidget(label);
  words->addStretch(1);
  m_nothing->setText(tr("Select a finding to see why it matters, what shows it, and what helps."));
  m_nothing->setForegroundRole(QPalette::PlaceholderText);
  m_nothing->setMargin(kDetailMargin);
  m_nothing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins({});
  layout->addWidget(m_nothing);
  layout->addWidget(m_words);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  // In a low panel the buttons need the room.
  scroll->setMinimumHeight(kLeastWords);
  return scroll;
}

QWidget* FindingDetail::buildButtons() {
  auto* layout = new QVBoxLayout(m_buttons);
  layout->setContentsMargins(kDetailMargin, 4, kDetailMargin, 4);
  auto* flow = new FlowLayout(kSpacing);
  layout->addLayout(flow);
  m_apply = addButton(tr("Apply"), tr("Changes the configuration as suggested (A)"));
  m_repair = addButton({}, {});
  m_dismiss = addButton({}, tr("Puts the finding aside, or brings it back (Del)"));
  m_applyAlike =
      addButton({}, tr("The same for all listed findings of this detector whose suggestion loses "
                       "nothing (Shift+A)"));
  for (QPushButton* each : {m_apply, m_repair, m_dismiss, m_applyAlike}) flow->addWidget(each);
  connect(m_apply, &QPushButton::clicked, this, &FindingDetail::applyClicked);
  connect(m_applyAlike, &QPushButton::clicked, this, &FindingDetail::applyAlikeClicked);
  connect(m_repair, &QPushButton::clicked, this, &FindingDetail::repairClicked);
  connect(m_dismiss, &QPushButton::clicked, this, &FindingDetail::dismissClicked);
  return m_buttons;
}

QPushButton* FindingDetail::addButton(const QString& title, const QString& toolTip) {
  auto* button = new QPushButton(title, m_buttons);
  button->setToolTip(toolTip);
  return button;
}

void FindingDetail::show(const About& about) {
  const Finding* finding = about.finding;
  m_nothing->setVisible(finding == nullptr);
  m_words->setVisible(finding != nullptr);
  m_buttons->setVisible(finding != nullptr);
  if (finding == nullptr) return;
  const auto shortened = [&](const QString& words) {
    return about.names != nullptr ? about.names->shortened(words) : words;
  };
  setWords(m_sentence, shortened(text(finding->text)));
  m_sentence->setToolTip(toolTipText(text(finding->text)));
  setWords(m_why, text(finding->why));
  setWords(m_figures, figureWords(*finding));
  const QString suggested = suggestionWords(*finding, about.pending);
  setWords(m_suggestion, shortened(suggested));
  m_channelsOf = about.graph == nullptr ? std::vector<MemberChannels>() : channelsByLayer(*finding);
  setWords(m_layers, m_channelsOf.empty() ? QString() : channelLinks(m_channelsOf, *about.graph));
  const bool applicable = canBeApplied(*finding);
  m_apply->setVisible(applicable);
  m_apply->setToolTip(
      QStringLiteral("<p>%1</p>")
          .arg(tr("Changes the configuration (A): %1").arg(suggested).toHtmlEscaped()));
  m_applyAlike->setVisible(applicable && about.alike > 1);
  m_applyAlike->setText(tr("Apply All %1").arg(about.alike));
  showRepair(about);
  m_dismiss->setText(about.dismissed ? tr("Bring Back") : tr("Dismiss"));
}

void FindingDetail::clickLayer(const QString& link) {
  const std::size_t index = link.toULongLong();
  if (index >= m_channelsOf.size()) return;
  const auto& [node, channels] = m_channelsOf[index];
  Q_EMIT layerClicked(node, channels.empty() ? -1 : static_cast<int>(channels.front()));
}

// With what it wins, as soon as that is measured.
void FindingDetail::showRepair(const About& about) {
  m_repair->setVisible(about.repair.has_value());
  if (!about.repair) return;
  const FittingGain* fitting = about.fitting;
  const bool wins = fitting != nullptr && !fitting->kept.empty();
  m_repair->setText(wins ? tr("Repair: %1…").arg(gainWords(fitting->gain)) : tr("Repair…"));
  m_repair->setToolTip(fitting != nullptr
                           ? fittingSentence(*fitting)
                           : tr("Tries the repairs that act on this fault, and says what each "
                                "wins.") +
                                 u' ' + fittingPlace(*about.repair));
}

}  // namespace quantscope

#include "widgets/inspector/network/next_change_section.h"

#include <QLabel>
#include <QPushButton>

#include "widgets/controls/flow_layout.h"
#include "widgets/look/text.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
NextChangeSection::NextChangeSection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("next"), tr("Best next change"), parent),
      m_selection(selection),
      m_sentence(wordLabel(this)),
      m_figures(wordLabel(this, true)),
      m_progress(wordLabel(this, true)),
      m_search(new QPushButton(this)),
      m_apply(new QPushButton(tr("Apply"), this)),
      m_show(new QPushButton(tr("Show"), this)),
      m_repair(new QPushButton(tr("Repair…"), this)) {
  m_figures->setToolTip(
      tr("SQNR of the worst output, before and after, measured on all samples; and what the "
         "constants of the model take more"));
  m_apply->setToolTip(tr("Changes the configuration. One step to undo."));
  m_show->setToolTip(tr("Selects the layer that it is about"));
  m_repair->setToolTip(
      tr("Shows the steps that win errors back without wider types, for the layers of this change "
         "alone, or for all where none of them can be repaired by itself"));
  body()->addWidget(m_sentence);
  body()->addWidget(m_figures);
  body()->addWidget(m_progress);
  // A narrow inspector has them on two lines.
  auto* row = new FlowLayout(8);
  for (QPushButton* button : {m_apply, m_show, m_search, m_repair}) row->addWidget(button);
  body()->addLayout(row);
  connect(m_apply, &QPushButton::clicked, this, &NextChangeSection::applyRequested);
  connect(m_repair, &QPushButton::clicked, this, &NextChangeSection::repairRequested);
  connect(m_show, &QPushButton::clicked, this, &NextChangeSection::select);
  connect(m_search, &QPushButton::clicked, this,
          [this] { m_stopped ? Q_EMIT startRequested() : Q_EMIT stopRequested(); });
}

void NextChangeSection::setProgress(const QString& words) {
  m_doing = words;
  if (subject().snapshot) showSearch();
}

void NextChangeSection::setStopped(bool stopped) {
  if (stopped == m_stopped) return;
  m_stopped = stopped;
  m_doing.clear();
  if (subject().snapshot) refresh();
}

bool NextChangeSection::appliesTo(const InspectorSubject& subject) const {
  return subject.kind == InspectorSubject::Kind::Model && subject.sampled() &&
         subject.snapshot->stage == AnalysisSnapshot::Stage::Complete;
}

void NextChangeSection::refresh() {
  const KnownAdvice* advice = subject().knownAdvice();
  const NextChange* next = advice != nullptr && advice->next ? &*advice->next : nullptr;
  m_apply->setVisible(next != nullptr);
  m_show->setVisible(next != nullptr && !next->node.empty());
  setWords(m_figures, next != nullptr ? figuresOf(*next) : QString());
  if (next != nullptr) {
    setWords(m_sentence, capitalized(text(next->edit.sentence)));
  } else if (advice == nullptr) {
    setWords(m_sentence, m_stopped ? tr("What helps most was not tried to the end.")
                                   : tr("What helps most is being tried…"));
  } else {
    setWords(m_sentence, tr("No single change helps: each was tried within a quarter more bytes "
                            "and a quarter of the work above 8 bits."));
  }
  showSearch();
}

void NextChangeSection::showSearch() {
  const bool searching = subject().knownAdvice() == nullptr;
  setWords(m_progress, searching && !m_stopped ? m_doing : QString());
  m_search->setVisible(searching);
  m_search->setText(m_stopped ? tr("Try Again") : tr("Stop"));
  m_search->setToolTip(m_stopped ? tr("Tries the changes of the configuration after all")
                                 : tr("Stops trying; another configuration begins anew"));
}

// Of several outputs, which one is the worst.
QString NextChangeSection::figuresOf(const NextChange& next) const {
  const QString figures = figureWords(figuresText(next));
  if (subject().snapshot->result->outputs.size() < 2 || next.output.empty()) return figures;
  return tr("Worst output, now %1: %2").arg(text(next.output), figures);
}

void NextChangeSection::select() {
  const KnownAdvice* advice = subject().knownAdvice();
  if (advice == nullptr || !advice->next) return;
  const NodeId node = subject().graph().findNode(advice->next->node);
  if (node.valid()) m_selection->selectNode(node);
}

QString NextChangeSection::asText() const {
  return m_sentence->text() + u'\n' +
         (m_figures->text().isEmpty() ? QString() : m_figures->text() + u'\n') +
         (m_progress->text().isEmpty() ? QString() : m_progress->text() + u'\n');
}

}  // namespace quantscope

#include "widgets/inspector/inspector_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "widgets/inspector/measured/channels_section.h"
#include "widgets/inspector/measured/distribution_section.h"
#include "widgets/inspector/measured/error_section.h"
#include "widgets/inspector/measured/samples_section.h"
#include "widgets/inspector/measured/worst_section.h"
#include "widgets/inspector/network/header_section.h"
#include "widgets/inspector/network/next_change_section.h"
#include "widgets/inspector/network/node_section.h"
#include "widgets/inspector/network/not_computed_section.h"
#include "widgets/inspector/network/outputs_section.h"
#include "widgets/inspector/network/summary_section.h"
#include "widgets/inspector/quantized/group_section.h"
#include "widgets/inspector/quantized/precision_section.h"
#include "widgets/inspector/quantized/weights_section.h"
#include "widgets/samples/sample_reader.h"

namespace quantscope {
namespace {

constexpr char kStateTag[] = "inspector1";

}  // namespace

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_index(std::make_shared<LayerIndex>()),
      m_scroll(new QScrollArea(this)),
      m_content(new QWidget),
      m_empty(wordLabel(this, true)),
      m_reader(new SampleReader(this)),
      m_group(new GroupSection(context.selection)) {
  setAccessibleName(tr("Inspector"));
  setMinimumWidth(280);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_scroll);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_content->setBackgroundRole(QPalette::Base);
  m_content->setAutoFillBackground(true);
  m_scroll->setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(m_content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_empty->setText(
      tr("What you select is explained here: its error, its distribution, and where "
         "they come from.\n\nOpen a model to begin."));
  m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_empty->setMargin(12);
  column->addWidget(m_empty);
  addSections();
  connect(m_group, &GroupSection::editRequested, this, &InspectorView::editRequested);
  column->addStretch(1);
  m_scroll->setWidget(m_content);
}

void InspectorView::addSections() {
  Selection* selected = &selection();
  auto* header = new HeaderSection;
  addSection(header);
  if (precision() != nullptr) {
    auto* section = new PrecisionSection(precision());
    m_sections.push_back(section);
    header->insertBelowName(section);
    section->hide();
  }
  auto* next = new NextChangeSection(selected);
  connect(next, &NextChangeSection::applyRequested, this, &InspectorView::nextChangeRequested);
  addSection(next);
  addSection(new OutputsSection);
  addSection(new ErrorSection);
  addSection(new WorstSection(selected, &options()));
  addSection(new NotComputedSection(selected));
  addSection(new SummarySection(selected));
  m_distribution = new DistributionSection(precision());
  connect(m_distribution, &DistributionSection::foreseeRequested, this,
          &InspectorView::foreseeRequested);
  addSection(m_distribution);
  addSection(new ChannelsSection(selected));
  addSection(new SamplesSection(selected, m_reader));
  addSection(m_group);
  addSection(new WeightsSection(selected));
  addSection(new NodeSection(selected));
}

void InspectorView::addSection(InspectorSection* section) {
  m_sections.push_back(section);
  m_content->layout()->addWidget(section);
  section->hide();
}

void InspectorView::setSharing(const HandSharing& sharing) {
  m_group->setSharing(sharing);
}

void InspectorView::setForeseen(const ConfigGain& gain) {
  m_distribution->setForeseen(gain);
}

void InspectorView::setCauses(const ErrorCausesPtr& causes) {
  m_causes = causes;
  refresh();
}

void InspectorView::setAdvice(const KnownAdvicePtr& advice) {
  m_advice = advice;
  refresh();
}

QSize InspectorView::sizeHint() const {
  return {360, 600};
}

void InspectorView::showSnapshot() {
  m_index = snapshot() ? std::make_shared<LayerIndex>(*snapshot()->result)
                       : std::make_shared<LayerIndex>();
  m_reader->setSnapshot(snapshot());
}

// Follows showSnapshot() and showOptions() too. The place that is scrolled to stays.
void InspectorView::showSelection() {
  InspectorSubject subject = resolveSubject(snapshot(), m_index, selection().current(), options());
  subject.causes = m_causes;
  subject.advice = m_advice;
  const bool another = subject.selected.node != m_shown.node ||
                       subject.selected.scope != m_shown.scope ||
                       subject.selected.value != m_shown.value;
  m_shown = subject.selected;
  const int scrolled = another ? 0 : m_scroll->verticalScrollBar()->value();
  m_empty->setVisible(!subject.snapshot);
  for (InspectorSection* section : m_sections) section->setSubject(subject);
  m_content->layout()->activate();
  m_scroll->verticalScrollBar()->setValue(scrolled);
  // An edge is about the grid that its value gets there.
  if (another && subject.selected.node.valid() && subject.selected.value.valid()) showGroup();
}

void InspectorView::showGroup() {
  if (m_group->isHidden()) return;
  m_content->resize(m_scroll->viewport()->width(), m_content->sizeHint().height());
  m_scroll->verticalScrollBar()->setValue(m_group->y());
}

QByteArray InspectorView::saveState() const {
  QByteArray state = kStateTag;
  for (const InspectorSection* section : m_sections) {
    state += ' ' + section->key().toUtf8() + (section->isOpen() ? "+" : "-");
  }
  return state;
}

bool InspectorView::restoreState(const QByteArray& state) {
  const QList<QByteArray> words = state.split(' ');
  if (words.constFirst() != kStateTag) return false;
  for (InspectorSection* section : m_sections) {
    const QByteArray key = section->key().toUtf8();
    if (words.contains(key + '+')) section->setOpen(true);
    if (words.contains(key + '-')) section->setOpen(false);
  }
  return true;
}

}  // namespace quantscope

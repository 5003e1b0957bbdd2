#include "widgets/inspector/inspector_view.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/inspector/measured/channels_section.h"
#include "widgets/inspector/measured/distribution_section.h"
#include "widgets/inspector/measured/error_section.h"
#include "widgets/inspector/measured/samples_section.h"
#include "widgets/inspector/measured/worst_section.h"
#include "widgets/inspector/network/cost_section.h"
#include "widgets/inspector/network/header_section.h"
#include "widgets/inspector/network/next_change_section.h"
#include "widgets/inspector/network/node_section.h"
#include "widgets/inspector/network/not_computed_section.h"
#include "widgets/inspector/network/outputs_section.h"
#include "widgets/inspector/network/summary_section.h"
#include "widgets/inspector/parts/inspector_bar.h"
#include "widgets/inspector/quantized/group_section.h"
#include "widgets/inspector/quantized/precision_section.h"
#include "widgets/inspector/quantized/weights_section.h"
#include "widgets/samples/sample_reader.h"

namespace quantscope {
namespace {

constexpr char kStateTag[] = "inspector1";
// Where the title of the inspector is out of sight, in pixels from the top.
constexpr int kTitleHeight = 44;
// Milliseconds of a frame that sections out of sight may take.
constexpr int kTurnMs = 4;

}  // namespace

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_index(std::make_shared<LayerIndex>()),
      m_scroll(new QScrollArea(this)),
      m_content(new QWidget),
      m_bar(new InspectorBar(m_scroll)),
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
  m_bar->hide();
  const QScrollBar* vertical = m_scroll->verticalScrollBar();
  connect(vertical, &QScrollBar::valueChanged, this, &InspectorView::showBar);
  connect(vertical, &QScrollBar::rangeChanged, this, &InspectorView::showBar);
  connect(m_bar, &InspectorBar::chosen, this, [this](int section) {
    const std::vector<InspectorSection*> titled = titledSections();
    if (section == 0) return m_scroll->verticalScrollBar()->setValue(0);
    const auto place = static_cast<std::size_t>(section) - 1;
    if (place < titled.size()) scrollTo(*titled[place]);
  });
  m_turn.setInterval(0);
  connect(&m_turn, &QTimer::timeout, this, &InspectorView::showRest);
}

void InspectorView::addSections() {
  Selection* selected = &selection();
  m_header = new HeaderSection;
  addSection(m_header);
  if (precision() != nullptr) {
    auto* section = new PrecisionSection(precision());
    m_sections.push_back(section);
    m_header->insertBelowName(section);
    section->hide();
  }
  m_next = new NextChangeSection(selected);
  connect(m_next, &NextChangeSection::applyRequested, this, &InspectorView::nextChangeRequested);
  connect(m_next, &NextChangeSection::repairRequested, this, &InspectorView::repairRequested);
  connect(m_next, &NextChangeSection::stopRequested, this, &InspectorView::adviceStopRequested);
  connect(m_next, &NextChangeSection::startRequested, this, &InspectorView::adviceStartRequested);
  addSection(m_next);
  addSection(new OutputsSection);
  addSection(new ErrorSection);
  addSection(new WorstSection(selected, &options()));
  addSection(new NotComputedSection(selected));
  addSection(new CostSection);
  addSection(new SummarySection(selected));
  m_distribution = new DistributionSection(precision());
  connect(m_distribution, &DistributionSection::foreseeRequested, this,
          &InspectorView::foreseeRequested);
  addSection(m_distribution);
  addSection(new ChannelsSection(selected));
  addSection(new SamplesSection(selected, m_reader));
  addSection(m_group);
  auto* weights = new WeightsSection(selected);
  connect(weights, &WeightsSection::repairRequested, this, &InspectorView::layerRepairRequested);
  addSection(weights);
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

void InspectorView::setAdviceProgress(const QString& words) {
  m_next->setProgress(words);
}

void InspectorView::setAdviceStopped(bool stopped) {
  m_next->setStopped(stopped);
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
  const Selected before = m_subject.selected;
  m_subject = resolveSubject(snapshot(), m_index, selection().current(), options());
  m_subject.causes = m_causes;
  m_subject.advice = m_advice;
  const Selected& selected = m_subject.selected;
  const bool another = selected.node != before.node || selected.scope != before.scope ||
                       selected.value != before.value;
  const int scrolled = another ? 0 : m_scroll->verticalScrollBar()->value();
  m_empty->setVisible(!m_subject.snapshot);
  showSections(another ? m_sections : sectionsInSight());
  m_content->layout()->activate();
  m_scroll->verticalScrollBar()->setValue(scrolled);
  // An edge is about the grid that its value gets there.
  if (another && selected.node.valid() && selected.value.valid()) showGroup();
}

// Sections out of sight follow in later turns of the event loop.
void InspectorView::showSections(const std::vector<InspectorSection*>& sections) {
  m_rest.clear();
  for (InspectorSection* section : m_sections) {
    if (std::ranges::find(sections, section) == sections.end()) {
      m_rest.push_back(section);
    } else {
      section->setSubject(m_subject);
    }
  }
  if (!m_rest.empty()) m_turn.start();
}

// One that is hidden would stand below the one before it.
std::vector<InspectorSection*> InspectorView::sectionsInSight() const {
  const QRect sight = m_content->visibleRegion().boundingRect();
  std::vector<InspectorSection*> found;
  int bottom = 0;
  for (InspectorSection* section : m_sections) {
    const int top = section->isHidden() ? bottom : section->mapTo(m_content, QPoint()).y();
    if (!section->isHidden()) bottom = top + section->height();
    if (top <= sight.bottom() && bottom >= sight.top()) found.push_back(section);
  }
  return found;
}

void InspectorView::showRest() {
  QElapsedTimer turn;
  turn.start();
  while (!m_rest.empty() && turn.elapsed() < kTurnMs) {
    InspectorSection* section = m_rest.front();
    m_rest.pop_front();
    section->setSubject(m_subject);
  }
  if (m_rest.empty()) m_turn.stop();
}

void InspectorView::showGroup() {
  if (m_group->isHidden()) return;
  m_content->resize(m_scroll->viewport()->width(), m_content->sizeHint().height());
  scrollTo(*m_group);
}

void InspectorView::scrollTo(const InspectorSection& section) {
  m_scroll->verticalScrollBar()->setValue(section.y() - m_bar->sizeHint().height());
}

std::vector<InspectorSection*> InspectorView::titledSections() const {
  std::vector<InspectorSection*> titled;
  for (InspectorSection* section : m_sections) {
    if (!section->isHidden() && !section->title().isEmpty()) titled.push_back(section);
  }
  return titled;
}

// It lies over what is scrolled away, so that nothing moves where it comes and goes.
void InspectorView::showBar() {
  const int top = m_scroll->verticalScrollBar()->value();
  m_bar->setVisible(top > kTitleHeight && m_subject.snapshot);
  if (m_bar->isHidden()) return;
  QStringList titles{tr("Top")};
  int current = 0;
  const int height = m_bar->sizeHint().height();
  for (const InspectorSection* section : titledSections()) {
    titles << section->title();
    if (section->y() <= top + height) current = static_cast<int>(titles.size()) - 1;
  }
  m_bar->setTitle(m_header->heading());
  m_bar->setSections(titles);
  m_bar->setCurrent(current);
  m_bar->setGeometry(0, 0, m_scroll->viewport()->width(), height);
}

void InspectorView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  showBar();
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

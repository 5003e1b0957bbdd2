#include "widgets/repair/repair_view.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "precision/config/json_reader.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/controls/elided_label.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/repair/repair_detail.h"
#include "widgets/repair/repair_heading.h"
#include "widgets/repair/repair_table.h"
#include "widgets/repair/training_dialog.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

using What = StepDecision::What;

constexpr int kDefaultSeconds = 120;
constexpr int kMostSeconds = 86400;
constexpr std::size_t kMostNamed = 12;
// Below this the table has the room of what can be done without.
constexpr int kLeastForAll = 280;

// Of any model.
TrainingChoices withoutLayers(TrainingChoices choices) {
  choices.frozen.clear();
  choices.unobserved.clear();
  choices.unquantized.clear();
  return choices;
}

}  // namespace

RepairView::RepairView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_steps(new RepairTable(allRecipeSteps(nullptr), recipeSteps().size())),
      m_loss(new CurveChart),
      m_limit(new QWidget),
      m_seconds(new QSpinBox),
      m_only(new QCheckBox),
      m_heading(new QLabel),
      m_progress(new QProgressBar),
      m_repair(new QPushButton(tr("Repair"))),
      m_stop(new QPushButton(tr("Stop and Keep"))),
      m_training(new QPushButton),
      m_compare(new QPushButton(tr("Compare as B"))),
      m_open(new QPushButton(tr("Save and Open…"))),
      m_there(new QPushButton(tr("Go There"))),
      m_undo(new QToolButton),
      m_redo(new QToolButton),
      m_remarks(new QLabel),
      m_stepWords(new ElidedLabel),
      m_try(new QPushButton(tr("&Try"))),
      m_keep(new QPushButton(tr("&Keep"))),
      m_drop(new QPushButton(tr("Dr&op"))),
      m_detail(new RepairDetail(context, makeSteps(), m_loss)),
      m_empty(new QLabel),
      m_pages(new QStackedWidget) {
  setFocusProxy(m_steps);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  auto* page = new QWidget;
  page->setLayout(makePage());
  m_pages->addWidget(page);
  m_pages->addWidget(m_empty);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_pages);
  connect(m_repair, &QPushButton::clicked, this, &RepairView::start);
  connect(m_stop, &QPushButton::clicked, this, &RepairView::stop);
  connect(m_try, &QPushButton::clicked, this, [this] { decide(What::Try); });
  connect(m_keep, &QPushButton::clicked, this, [this] { decide(What::Keep); });
  connect(m_drop, &QPushButton::clicked, this, [this] { decide(What::Drop); });
  connect(m_undo, &QToolButton::clicked, this, &RepairView::undoRequested);
  connect(m_redo, &QToolButton::clicked, this, &RepairView::redoRequested);
  connect(m_training, &QPushButton::clicked, this, &RepairView::askForTraining);
  connect(m_compare, &QPushButton::clicked, this, &RepairView::compareRequested);
  connect(m_open, &QPushButton::clicked, this, &RepairView::openRequested);
  connect(m_there, &QPushButton::clicked, this, &RepairView::thereRequested);
  connect(m_steps, &QTableWidget::currentCellChanged, this, &RepairView::refreshButtons);
  setTraining({});
  setShown({});
}

QLayout* RepairView::makePage() {
  m_heading->setWordWrap(true);
  m_heading->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_progress->setTextVisible(false);
  m_progress->hide();
  auto* top = new QVBoxLayout;
  top->setContentsMargins(8, 8, 8, 4);
  top->setSpacing(8);
  top->addLayout(makeBar());
  top->addWidget(m_heading);
  top->addWidget(m_progress);
  auto* layout = new QVBoxLayout;
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(m_detail, 1);
  return layout;
}

QWidget* RepairView::makeSteps() {
  auto* steps = new QWidget;
  auto* column = new QVBoxLayout(steps);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(8);
  m_remarks->setWordWrap(true);
  m_remarks->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_remarks->setTextFormat(Qt::PlainText);
  m_remarks->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_remarks->setAccessibleName(tr("Remarks"));
  // The table stays as high when another step is selected.
  m_remarks->setMinimumHeight(2 * m_remarks->fontMetrics().lineSpacing());
  column->addWidget(m_steps, 1);
  column->addWidget(m_remarks);
  column->addLayout(makeStepBar());
  return steps;
}

QLayout* RepairView::makeBar() {
  m_repair->setToolTip(
      tr("Tries the chosen steps in their order; a step stays only where samples "
         "that it was not fitted to confirm it"));
  m_stop->setToolTip(
      tr("Ends now with the steps that were confirmed so far, and with the best "
         "state of a training"));
  m_compare->setToolTip(tr("Shows the repaired model as B in all views"));
  m_open->setToolTip(
      tr("Writes the repaired model and its configuration to a folder, or a new one in the "
         "folder of the model, and opens them"));
  m_there->setToolTip(tr("Goes to the configuration that was repaired, as a step of its own"));
  m_seconds->setRange(0, kMostSeconds);
  m_seconds->setValue(kDefaultSeconds);
  m_seconds->setSuffix(tr(" s"));
  m_seconds->setSpecialValueText(tr("no limit"));
  m_seconds->setToolTip(tr("What was won by then is kept"));
  for (const auto& [button, drawing, words] :
       {std::tuple(m_undo, "undo", tr("Takes the last decision back")),
        std::tuple(m_redo, "redo", tr("Takes it again"))}) {
    button->setIcon(icon(QString::fromLatin1(drawing)));
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setAutoRaise(true);
  }
  auto* label = new QLabel(tr("&Stop after"));
  label->setBuddy(m_seconds);
  auto* row = new QHBoxLayout(m_limit);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(label);
  row->addWidget(m_seconds);
  auto* bar = new FlowLayout(8);
  const std::initializer_list<QWidget*> parts{m_repair, m_stop, m_limit,   m_training, m_only,
                                              m_undo,   m_redo, m_compare, m_open,     m_there};
  for (QWidget* each : parts) bar->addWidget(each);
  m_only->hide();
  return bar;
}

QLayout* RepairView::makeStepBar() {
  m_try->setToolTip(
      tr("Runs this step on top of those that are kept; it stays where held-out "
         "samples confirm it"));
  m_keep->setToolTip(tr("Takes this step whatever the held-out samples say of it"));
  m_drop->setToolTip(tr("Takes this step out; the others stay"));
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_stepWords, 1);
  for (QPushButton* button : {m_try, m_keep, m_drop}) row->addWidget(button);
  return row;
}

void RepairView::choose(const std::vector<std::string>& steps) {
  m_steps->choose(steps);
  for (std::size_t i = 0; !steps.empty() && i < m_steps->steps().size(); ++i) {
    if (m_steps->steps()[i].name == steps.front()) m_steps->selectRow(static_cast<int>(i));
  }
}

void RepairView::offerLayers(const std::vector<std::string>& layers) {
  if (layers != m_layers) m_only->setChecked(false);
  m_layers = layers;
  m_only->setVisible(!layers.empty());
  if (layers.empty()) return;
  m_only->setText(layers.size() == 1 ? tr("O&nly %1").arg(text(layers.front()))
                                     : tr("O&nly these %1 layers").arg(layers.size()));
  QStringList names;
  for (std::size_t i = 0; i < std::min(layers.size(), kMostNamed); ++i) names << text(layers[i]);
  if (layers.size() > kMostNamed) names << QStringLiteral("…");
  m_only->setToolTip(toolTipText(
      names.join(QStringLiteral(", ")) +
      tr("\nSteps that work on several layers at once change those where all of them are named; "
         "steps that have to do with all of the model do not run.")));
}

const std::vector<std::string>* RepairView::onlyLayers() const {
  return m_only->isChecked() ? &m_layers : nullptr;
}

void RepairView::changeOnlyThese(bool only) const {
  m_only->setChecked(only && !m_layers.empty());
}

RepairRequest RepairView::request(std::shared_ptr<TrainingRun> training) const {
  const std::vector<RepairStep> all = allRecipeSteps(std::move(training));
  RepairRequest request;
  request.steps.clear();
  if (onlyLayers() != nullptr) request.only = m_layers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (m_steps->isChosen(i)) request.steps.push_back(all[i]);
  }
  if (m_seconds->value() > 0) request.seconds = m_seconds->value();
  return request;
}

void RepairView::start() {
  if (m_busy) return Q_EMIT cancelRequested();
  if (request().steps.empty()) return say(tr("Choose a step to try."));
  m_steps->setReports({});
  m_triesAll = true;
  showBusy(tr("Repairing…"), true);
  m_steps->setRunning(m_steps->firstChosen());
  Q_EMIT repairRequested();
}

void RepairView::decide(What what) {
  StepDecision decision{.step = m_steps->steps()[m_steps->current()].name, .what = what};
  if (what == What::Try && m_only->isChecked()) decision.only = m_layers;
  const StepReport* report = m_steps->reportOf(m_steps->current());
  if (what != What::Try && report != nullptr) decision.only = report->only;
  m_triesAll = false;
  m_steps->setFocus();  // its button is about to be disabled, which would pass the focus on
  showBusy(tr("Repairing…"), what == What::Try);
  if (what == What::Try) m_steps->setRunning(m_steps->current());
  Q_EMIT decided(decision);
}

void RepairView::askForTraining() {
  // Whoever has chosen nothing is offered to go on with the training that was stopped.
  const bool none = m_trainingChoices == TrainingChoices();
  auto* dialog =
      new TrainingDialog(none ? m_stoppedTraining.value_or(m_trainingChoices) : m_trainingChoices,
                         trainingLayers(snapshot(), selection().current()), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    if (dialog->choices() == m_trainingChoices) return;
    setTraining(dialog->choices());
    Q_EMIT trainingChanged();
  });
  dialog->open();
}

void RepairView::setTraining(const TrainingChoices& choices) {
  m_trainingChoices = choices;
  const bool usual = choices == TrainingChoices();
  m_training->setText(usual ? tr("Training…") : tr("Training… (changed)"));
  m_training->setToolTip(usual
                             ? tr("How the step train is carried out")
                             : tr("How the step train is carried out: otherwise than by default"));
  // What it says of a stopped training may be different.
  if (!m_busy && m_stoppedTraining) sayResult();
}

QByteArray RepairView::saveState() const {
  return QByteArray::fromStdString(jsonOf(m_trainingChoices).dump());
}

QByteArray RepairView::saveSettings() const {
  return QByteArray::fromStdString(jsonOf(withoutLayers(m_trainingChoices)).dump());
}

bool RepairView::restoreState(const QByteArray& state) {
  try {
    const std::string source = "the settings";
    const std::string what = "the training";
    const auto json = parseStrictJson(state.isEmpty() ? "{}" : state.toStdString(), source, what);
    setTraining(readTrainingChoices(JsonReader(json, source, what)));
    return true;
  } catch (const Error&) {
    return false;
  }
}

void RepairView::forgetLayers() {
  setTraining(withoutLayers(m_trainingChoices));
}

void RepairView::stop() {
  m_stopping = true;
  m_stop->setEnabled(false);
  say(tr("Stopping…"));
  Q_EMIT stopRequested();
}

void RepairView::setPossible(bool possible) {
  m_possible = possible;
  refreshButtons();
}

void RepairView::setShown(const RepairShown& shown) {
  // The curve is of a run that has just ended; of one that is undone it would be misread.
  if (!m_busy && shown.result != m_shown.result) m_detail->hideLoss();
  m_shown = shown;
  setBusy(false);
  m_steps->setReports(shown.result ? shown.result->steps : std::vector<StepReport>());
  if (std::exchange(m_triesAll, false)) m_steps->selectKept();
  sayResult();
  refreshButtons();
  refresh();
}

void RepairView::sayResult() {
  if (m_shown.result) return say(repairHeading(*m_shown.result) + waitingWords());
  say(m_shown.elsewhere.isEmpty() ? restWords() : m_shown.elsewhere + waitingWords());
}

QString RepairView::restWords() const {
  return tr("Repairs win back what quantization loses, without labels and without wider types. "
            "The model and its configuration stay as they are until what was repaired is saved.") +
         waitingWords();
}

void RepairView::setStoppedTraining(const std::optional<TrainingChoices>& choices) {
  if (choices == m_stoppedTraining) return;
  m_stoppedTraining = choices;
  if (!m_busy && !m_shown.result) sayResult();
}

QString RepairView::waitingWords() const {
  if (!m_stoppedTraining) return {};
  if (*m_stoppedTraining != m_trainingChoices) {
    return tr(
        " A training with other settings was stopped: tried now, train starts anew and "
        "replaces it.");
  }
  return tr(" A training was stopped: tried again, train goes on from there.");
}

void RepairView::setBusy(bool busy) {
  m_busy = busy;
  m_progress->setVisible(busy);
  m_progress->setRange(0, 0);
  if (busy) m_detail->hideLoss();
  m_steps->setRunning({});
  m_phase.clear();
  m_stopping = false;
  m_stop->hide();
  m_repair->setText(busy ? tr("Cancel") : tr("Repair"));
  refreshButtons();
}

void RepairView::refreshButtons() {
  const bool idle = m_possible && !m_busy;
  const bool any = m_shown.result && m_shown.repaired &&
                   std::ranges::any_of(m_shown.result->steps, &StepReport::kept);
  m_repair->setEnabled(m_possible || m_busy);
  m_seconds->setEnabled(!m_busy);
  m_only->setEnabled(!m_busy);
  m_training->setVisible(!m_busy);  // leaves its place to what stops the work
  m_there->setVisible(!m_busy && m_shown.canGoThere);
  m_undo->setEnabled(idle && m_shown.canUndo);
  m_redo->setEnabled(idle && m_shown.canRedo);
  m_compare->setEnabled(!m_busy && any);
  m_open->setEnabled(!m_busy && any);
  const RepairStep& step = m_steps->steps()[m_steps->current()];
  const StepReport* report = m_steps->reportOf(m_steps->current());
  QString words = tr("%1: %2").arg(text(step.name), text(step.what));
  // The verdict, where the table has no room for all of it.
  if (report != nullptr) words = tr("%1: %2").arg(text(step.name), text(report->reason));
  m_stepWords->setText(words);
  m_remarks->setText(report == nullptr ? QString() : remarkWords(*report));
  m_try->setEnabled(idle && (report == nullptr || !report->kept));
  m_keep->setEnabled(idle && report != nullptr && !report->kept && report->nodes > 0);
  m_drop->setEnabled(idle && report != nullptr && report->kept);
}

bool RepairView::canStop() const {
  return m_busy && !m_stop->isHidden();
}

void RepairView::showBusy(const QString& words, bool canStop) {
  setBusy(true);
  m_since.start();
  m_stop->setEnabled(true);
  m_stop->setVisible(canStop);
  say(words);
}

// At most so long where there is a limit: what comes next is not known before.
QString RepairView::limitWords() const {
  if (!canStop() || m_seconds->value() == 0) return {};
  const std::chrono::duration<double> gone = std::chrono::milliseconds(m_since.elapsed());
  const auto left = std::chrono::seconds(m_seconds->value()) - gone;
  return left.count() > 0 ? tr("; at most %1 in all").arg(remainingText(left)) : QString();
}

void RepairView::showProgress(const Progress& progress) {
  if (!m_busy) return;
  m_progress->setRange(0, static_cast<int>(progress.total));
  m_progress->setValue(static_cast<int>(progress.done));
  m_steps->followStage(progress.stage);
  say((m_stopping ? tr("Stopping: %1%2") : tr("Repairing: %1%2"))
          .arg(progressWords(progress), limitWords()));
}

// A curve for each phase: losses of blocks and of the network are different figures.
void RepairView::showLoss(const TrainingPoint& point) {
  if (!m_busy || !std::isfinite(point.heldBack)) return;
  const QString phase = text(point.phase);
  if (std::exchange(m_phase, phase) != phase || point.step == 0) m_points.clear();
  m_points.emplace_back(static_cast<double>(point.step), point.heldBack);
  // The curve before stays until there is a line.
  if (m_points.size() < 2) return;
  m_loss->setContent({.horizontal = tr("Steps of training, %1").arg(phase),
                      .vertical = tr("Loss, held back"),
                      .second = {},
                      .points = m_points,
                      .seconds = {}});
  m_detail->showLoss();
}

void RepairView::showError(const QString& what) {
  setShown(RepairShown(m_shown));
  say(what);
  Q_EMIT ended();
}

void RepairView::showCancelled() {
  if (!m_busy) return;
  setShown(RepairShown(m_shown));
  say(tr("Cancelled: nothing has changed.") + waitingWords());
  Q_EMIT ended();
}

QString RepairView::asText() const {
  return m_heading->text() + u'\n' + tableText(*m_steps, {}, u'\t');
}

void RepairView::showSnapshot() {
  const bool samples = snapshot() && snapshot()->stage != AnalysisSnapshot::Stage::Structure;
  m_pages->setCurrentIndex(samples ? 0 : 1);
  m_empty->setText(snapshot() ? tr("Choose data first: samples confirm what repairs win.")
                              : tr("Open a model to repair what quantization does to it."));
  Q_EMIT seen();
}

void RepairView::showSelection() {
  m_detail->show(m_shown.before, m_shown.repaired);
}

void RepairView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  fitHeight();
}

void RepairView::say(const QString& words) {
  m_heading->setText(words);
  fitHeight();
}

void RepairView::fitHeight() {
  const bool all = height() >= kLeastForAll;
  m_limit->setVisible(all);
  m_remarks->setVisible(all && m_shown.result);
  m_heading->setVisible(all || m_busy || m_shown.result || m_heading->text() != restWords());
}

}  // namespace quantscope

#include "guide_controller.h"

#include <QAction>
#include <utility>

#include "advice_controller.h"
#include "analysis/errors/worst_output.h"
#include "app/gui/comparison.h"
#include "causes_controller.h"
#include "export_controller.h"
#include "findings_controller.h"
#include "jobs/work_done.h"
#include "widgets/look/text.h"

namespace quantscope {

using Stage = ProcedureStage;

GuideController::GuideController(const Parts& parts, QObject* parent)
    : QObject(parent),
      m_parts(parts),
      m_probe(parts.session, "guide",
              [this](const SnapshotPtr& shown) { return measureStart(shown); }) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(0);
  connect(&m_soon, &QTimer::timeout, this, &GuideController::show);
  const auto follow = [this] { refresh(); };
  connect(&parts.session, &Session::requestChanged, this, follow);
  connect(&parts.session, &Session::documentChanged, this, follow);
  connect(&parts.session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    noteStart();
    refresh();
  });
  connect(&parts.session.controller(), &AnalysisController::runningChanged, this, follow);
  connect(&parts.advice, &AdviceController::changed, this, follow);
  connect(&parts.causes, &CausesController::changed, this, follow);
  connect(&parts.exports, &ExportController::modelWritten, this, follow);
  connect(&parts.panel, &GuidePanel::shown, this, [this] {
    m_probe.restart();
    refresh();
  });
  connect(&parts.panel, &GuidePanel::actionRequested, this, &GuideController::act);
}

void GuideController::refresh() {
  if (canBeSeen()) m_soon.start();
}

void GuideController::show() {
  const SnapshotPtr& shown = m_parts.session.snapshot();
  if (!shown || !m_parts.session.hasModel()) return m_parts.panel.setSteps({}, {});
  const ErrorCausesPtr causes = m_parts.causes.causes();
  const std::vector<LadderStep> ladder =
      causes && causes->ladder ? *causes->ladder : std::vector<LadderStep>();
  m_parts.panel.setSteps(procedureOf(*shown->result, shown->detected.get(), ladder, work()),
                         actions());
}

WorkDone GuideController::work() const {
  WorkDone work{.edits = configurationEdits(m_parts.session.document())};
  if (const Start* known = start()) {
    work.startDb = known->worstDb;
    work.startBytes = known->bytes;
  }
  if (const KnownAdvicePtr advice = m_parts.advice.advice()) {
    if (advice->next)
      work.proposal = advice->next->edit.sentence + ": " + figuresText(*advice->next);
    work.nothingHelps = !advice->next;
  }
  work.exported = m_parts.exports.exported(m_parts.session.document().configuration());
  return work;
}

// Where it is known, of the data that is shown.
const GuideController::Start* GuideController::start() const {
  const SnapshotPtr& shown = m_parts.session.snapshot();
  const bool known = m_start && shown && m_start->data == shown->data &&
                     m_start->config == m_parts.session.document().start();
  return known ? &*m_start : nullptr;
}

void GuideController::noteStart() {
  const SnapshotPtr& shown = m_parts.session.snapshot();
  if (!shown || shown->stage != AnalysisSnapshot::Stage::Complete) return;
  if (shown->edited != AnalysisSnapshot::Edited::All) return;
  const Configuration& config = m_parts.session.document().start();
  if (shown->request.config != config) return;
  m_start = Start{.data = shown->data,
                  .config = config,
                  .worstDb = worstOutputSqnr(shown->result->outputs),
                  .bytes = static_cast<double>(shown->result->summary.quantizedBytes)};
}

// Reopened work already has edits, so its start is measured separately.
IdleProbe::Work GuideController::measureStart(const SnapshotPtr& shown) {
  if (start() != nullptr || !canBeSeen()) return nullptr;
  return
      [this, shown, document = m_parts.session.document(),
       &memory = m_parts.session.queue()->memory()](JobContext& job, const IdleProbe::Tell& tell) {
        const WorkDone work = workDone(*shown, document, memory, job);
        tell([this, shown, document, work] {
          m_start = Start{.data = shown->data,
                          .config = document.start(),
                          .worstDb = work.startDb,
                          .bytes = work.startBytes};
          refresh();
        });
      };
}

GuidePanel::StepActions GuideController::actions() const {
  const auto enabled = [this](ActionId id) { return m_parts.actions.at(id)->isEnabled(); };
  const SnapshotPtr& shown = m_parts.session.snapshot();
  const bool found = shown->detected && !shown->detected->findings.empty();
  const bool edited = !configurationEdits(m_parts.session.document()).empty();
  return {
      {Stage::Float, {.text = tr("Choose data…"), .toolTip = {}, .enabled = true}},
      {Stage::Parts,
       {.text = tr("Show outputs"),
        .toolTip = tr("Selects nothing, so that the inspector is about the whole model"),
        .enabled = shown->result->samples > 0}},
      {Stage::Layers,
       {.text = tr("Go to the worst"), .toolTip = {}, .enabled = enabled(ActionId::WorstLayer)}},
      {Stage::Causes, {.text = tr("Show the finding"), .toolTip = {}, .enabled = found}},
      {Stage::Fixes, fixingAction()},
      {Stage::Measured,
       {.text = tr("Compare with the start"),
        .toolTip = tr("Takes the configuration before the first change as B, in all views"),
        .enabled = edited}},
      {Stage::Exported,
       {.text = tr("Export…"), .toolTip = {}, .enabled = enabled(ActionId::Export)}},
  };
}

// The changes that help together, once they are known; the next best change; else repairs.
ActionId GuideController::fix() const {
  const KnownAdvicePtr advice = m_parts.advice.advice();
  if (advice && advice->all && !advice->all->changes.empty()) return ActionId::AcceptAll;
  return advice && advice->next ? ActionId::AcceptNext : ActionId::Repair;
}

GuidePanel::Action GuideController::fixingAction() const {
  const ActionId id = fix();
  GuidePanel::Action action{
      .text = tr("Repair…"), .toolTip = {}, .enabled = m_parts.actions.at(id)->isEnabled()};
  if (id == ActionId::AcceptNext) action.text = tr("Apply");
  if (id == ActionId::AcceptAll) {
    const double bytes =
        static_cast<double>(m_parts.session.snapshot()->result->summary.quantizedBytes);
    // The sentence is about the best one alone.
    const std::string words = adviceText(*m_parts.advice.advice()->all, bytes);
    action.text = tr("Apply %1").arg(text(words.substr(0, words.find(':'))));
    action.toolTip = text(words);
  }
  return action;
}

void GuideController::act(ProcedureStage stage) {
  const auto trigger = [this](ActionId id) { m_parts.actions.at(id)->trigger(); };
  const SnapshotPtr& shown = m_parts.session.snapshot();
  switch (stage) {
    case Stage::Float:
      return trigger(ActionId::ChooseData);
    case Stage::Parts:
      return m_parts.session.selection().clear();
    case Stage::Layers:
      return trigger(ActionId::WorstLayer);
    case Stage::Causes:
      if (shown && shown->detected && !shown->detected->findings.empty()) {
        m_parts.findings.show(shown->detected->findings.front().id);
      }
      return;
    case Stage::Fixes:
      return trigger(fix());
    case Stage::Measured:
      return compareWithStart();
    case Stage::Exported:
      return trigger(ActionId::Export);
  }
}

void GuideController::compareWithStart() {
  m_parts.comparison.preview(m_parts.session.document().start(), tr("Start"));
  m_parts.actions.at(ActionId::ShowCompare)->trigger();
}

}  // namespace quantscope

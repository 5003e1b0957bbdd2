#include "fitting_controller.h"

#include <utility>

#include "advice_controller.h"
#include "jobs/request_labels.h"
#include "repair/fitting_steps.h"
#include "widgets/findings/findings_view.h"

namespace quantscope {
namespace {

// What takes longer is for the Repair tab, with its progress.
constexpr double kMostSeconds = 30;

}  // namespace

FittingController::FittingController(Session& session, FindingsView& findings,
                                     const AdviceController& advice, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_findings(findings),
      m_advice(advice),
      m_probe(session, "fitting repairs",
              [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  connect(&findings, &FindingsView::chosenChanged, &m_probe, &IdleProbe::restart);
  connect(&session.selection(), &Selection::changed, &m_probe, &IdleProbe::restart);
  connect(&advice, &AdviceController::changed, &m_probe, &IdleProbe::restart);
}

IdleProbe::Work FittingController::prepare(const SnapshotPtr& shown) {
  const Finding* finding = m_findings.canBeSeen() ? m_findings.chosen() : nullptr;
  const KnownAdvicePtr advice = m_advice.advice();
  if (finding == nullptr || !advice || !advice->all) return nullptr;
  const FittingRepair repair = fittingRepair(*finding, *shown->model.engine, *shown->quantized);
  const bool known = m_known && m_known->isAbout(*shown) && m_known->find(repair) != nullptr;
  if (repair.steps.empty() || known) return nullptr;
  return [this, shown, repair, &memory = m_session.queue()->memory()](JobContext& job,
                                                                      const IdleProbe::Tell& tell) {
    RepairRequest limits;
    limits.seconds = kMostSeconds;
    limits.batch = shown->request.batch;
    const FittingGain gain =
        measureFittingGain(*shown, repair, limits, labelsOf(shown->request), memory, job);
    tell([this, shown, gain] { take(shown, gain); });
  };
}

void FittingController::take(const SnapshotPtr& of, const FittingGain& gain) {
  auto known = std::make_shared<KnownFittingGains>();
  known->of = of;
  if (m_known && m_known->isAbout(*of)) known->gains = m_known->gains;
  known->gains.push_back(gain);
  m_known = std::move(known);
  m_findings.setFittingGains(m_known);
}

}  // namespace quantscope

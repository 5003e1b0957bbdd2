#include "status_strip.h"

#include <QLabel>
#include <QStatusBar>

#include "base/number_text.h"
#include "tensor/memory_use.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"
#include "widgets/shell/progress_strip.h"

namespace quantscope {
namespace {

constexpr int kTickMs = 500;

QString mebibytes(std::size_t bytes) {
  return text(grouped((bytes + (std::size_t{1} << 19)) >> 20));
}

}  // namespace

StatusStrip::StatusStrip(QStatusBar& bar, Session& session, Comparison& comparison)
    : QObject(&bar),
      m_session(session),
      m_comparison(comparison),
      m_progress(new ProgressStrip(&bar)),
      m_memory(new QLabel(&bar)),
      m_synthetic(new QLabel(&bar)) {
  bar.setSizeGripEnabled(false);
  bar.addWidget(m_progress);
  bar.addPermanentWidget(m_synthetic);
  bar.addPermanentWidget(m_memory);
  m_memory->setContentsMargins(8, 0, 8, 0);
  m_memory->setForegroundRole(QPalette::PlaceholderText);
  connect(m_progress, &ProgressStrip::cancelRequested, this, [this] {
    AnalysisController& own = m_session.controller();
    own.running() ? own.cancel() : m_comparison.interrupt();
  });
  for (AnalysisController* each : {&session.controller(), &comparison.controller()}) follow(*each);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    showSynthetic();
    showMemory();
  });
  connect(&m_tick, &QTimer::timeout, this, &StatusStrip::showMemory);
  showMemory();
  showSynthetic();
}

void StatusStrip::follow(AnalysisController& controller) {
  connect(&controller, &AnalysisController::runningChanged, this, &StatusStrip::showRunning);
  connect(&controller, &AnalysisController::progressChanged, this,
          [this, &controller](Progress progress) {
            if (running() != &controller) return;
            if (&controller != &m_session.controller()) progress.stage = "B: " + progress.stage;
            m_progress->setProgress(progress);
          });
}

AnalysisController* StatusStrip::running() const {
  for (AnalysisController* each : {&m_session.controller(), &m_comparison.controller()}) {
    if (each->running()) return each;
  }
  return nullptr;
}

void StatusStrip::showRunning() {
  if (AnalysisController* shown = running(); shown != m_shown) {
    m_shown = shown;
    m_progress->setRunning(shown != nullptr);
    shown != nullptr ? m_tick.start(kTickMs) : m_tick.stop();
  }
  showMemory();
}

void StatusStrip::showMemory() {
  const std::size_t budget = m_session.queue()->memoryBudget();
  const QString used = mebibytes(tensorBytes());
  const QString taken = tr("What the tensors of all windows take at the moment");
  if (budget == 0) {
    m_memory->setText(tr("tensor memory %1 MiB").arg(used));
    m_memory->setToolTip(taken + tr(". There is no limit; --memory at the start sets one."));
  } else {
    m_memory->setText(tr("memory %1 of %2 MiB").arg(used, mebibytes(budget)));
    m_memory->setToolTip(taken + tr(", and the budget that an analysis keeps to (--memory)."));
  }
  m_memory->setVisible(m_session.hasModel());
}

void StatusStrip::showSynthetic() {
  const SnapshotPtr& snapshot = m_session.snapshot();
  const bool synthetic = snapshot && snapshot->result->synthetic;
  m_synthetic->setVisible(synthetic);
  if (!synthetic) return;
  m_synthetic->setText(
      QStringLiteral("<b style=\"color:%1\">%2</b>")
          .arg(Theme::of(m_synthetic->palette()).warning.name(), tr("synthetic data!")));
  m_synthetic->setToolTip(
      tr("The samples were made up. Ranges and errors of real inputs will "
         "differ: choose real data before you decide anything."));
}

}  // namespace quantscope

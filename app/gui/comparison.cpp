#include "comparison.h"

#include <utility>

#include "freed_in_background.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// A model or data that are read again come with samples of their own.
bool isOfSameFiles(const AnalysisSnapshot& a, const AnalysisSnapshot& b) {
  return a.data == b.data && a.calibration == b.calibration &&
         a.sideFiles.labels == b.sideFiles.labels;
}

}  // namespace

Comparison::Comparison(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_controller(session.queue()) {
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, &Comparison::follow);
  connect(&session, &Session::documentEnding, this, [this] {
    m_former.clear();
    m_asked.reset();
    if (m_preview || m_result) choose({});  // it is nobody's but this work's
  });
  connect(&session.controller(), &AnalysisController::resumed, this, &Comparison::resume);
  connect(&session, &Session::requestChanged, this, &Comparison::goBackToFormer);
  connect(&session, &Session::namedChanged, this, [this] {
    goBackToFormer();
    follow();
  });
  connect(&m_controller, &AnalysisController::snapshotChanged, this, [this] {
    // B needs no gains of suggestions.
    const SnapshotPtr& shown = m_controller.snapshot();
    const bool complete = shown && shown->stage == AnalysisSnapshot::Stage::Complete;
    if (complete && m_controller.running()) m_controller.cancel();
    if (complete && m_session.hasModel()) m_session.controller().remember(shown);
    m_session.options().setOther(snapshot() ? snapshot()->result : nullptr);
    Q_EMIT changed();
  });
}

QStringList Comparison::names() const {
  QStringList names;
  for (const auto& [name, config] : m_session.document().named()) names << text(name);
  return names;
}

QString Comparison::shownName() const {
  for (const auto& [name, config] : m_session.document().named()) {
    if (config == m_session.document().configuration()) return text(name);
  }
  return {};
}

// Null where B is the state before.
const Configuration* Comparison::chosen() const {
  if (m_preview) return &*m_preview;
  const auto& named = m_session.document().named();
  const auto found = named.find(m_name.toStdString());
  return found == named.end() ? nullptr : &found->second;
}

SnapshotPtr Comparison::snapshot() const {
  if (m_result) return m_result;
  if (m_name.isEmpty()) return m_session.controller().before();
  const SnapshotPtr& other = m_controller.snapshot();
  const Configuration* config = chosen();
  const bool known = other && config != nullptr &&
                     other->stage == AnalysisSnapshot::Stage::Complete &&
                     other->request.config == *config;
  return known ? other : nullptr;
}

// What the project kept of B need not be measured again.
void Comparison::resume(const SnapshotPtr& kept) {
  const Configuration* config = chosen();
  if (kept) m_controller.remember(kept);
  if (kept && config != nullptr && *config == kept->request.config) m_controller.adopt(kept);
  follow();
}

// B is measured on the same data as A.
void Comparison::follow() {
  const SnapshotPtr& shown = m_session.snapshot();
  const bool complete = shown && shown->stage == AnalysisSnapshot::Stage::Complete;
  if (m_result && complete && !isOfSameFiles(*m_result, *shown)) return choose({});
  if (!m_name.isEmpty() && complete && !m_session.controller().resuming()) {
    const SnapshotPtr other = snapshot();
    const bool isReplaced = !m_result && other && !areComparable(*other, *shown);
    if (isReplaced && sameData(other->request, shown->request)) m_asked.reset();
    if (!other || isReplaced || !sameData(other->request, shown->request)) run();
  }
  m_session.options().setOther(snapshot() ? snapshot()->result : nullptr);
  Q_EMIT changed();
}

void Comparison::run() {
  const Configuration* config = chosen();
  if (config == nullptr) return;
  AnalysisRequest request = m_session.snapshot()->request;
  request.config = *config;
  const bool asked = m_asked && m_asked->config == *config && sameData(*m_asked, request);
  // Also where it has failed or was cancelled: until it is chosen anew.
  if (asked) return;
  m_asked = request;
  m_controller.adopt(m_session.snapshot());
  m_controller.start(request);
}

void Comparison::interrupt() {
  if (!m_controller.running()) return;
  m_controller.cancel();
  if (!m_name.isEmpty() && !snapshot()) Q_EMIT interrupted();
}

void Comparison::retry() {
  stop();
  follow();
}

// What still runs is asked for no more.
void Comparison::stop() {
  m_asked.reset();
  m_controller.cancel();
}

// Where a swap is undone or done again, B is what it was then.
void Comparison::goBackToFormer() {
  if (m_name.isEmpty() || m_preview || m_result) return;
  const Document& document = m_session.document();
  const Configuration* config = chosen();
  if (config != nullptr && *config != document.configuration()) return;
  const auto former = document.named().find(m_former.toStdString());
  const bool helps = former != document.named().end() && former->second != document.configuration();
  if (helps) {
    std::swap(m_name, m_former);
  } else if (config == nullptr) {
    m_name.clear();
    stop();
  }
  if (helps && config != nullptr) {
    stop();
    follow();
  }
}

void Comparison::preview(const Configuration& config, const QString& name) {
  m_name = name;
  m_former.clear();
  m_preview = config;
  m_result.reset();
  stop();
  follow();
}

void Comparison::previewResult(const SnapshotPtr& result, const QString& name) {
  m_name = name;
  m_former.clear();
  m_preview.reset();
  m_result = result;
  stop();
  follow();
}

void Comparison::choose(const QString& name) {
  m_name = name;
  m_former.clear();
  m_preview.reset();
  m_result.reset();
  stop();
  follow();
}

void Comparison::show(const QString& name) {
  const auto& named = m_session.document().named();
  const auto found = named.find(name.toStdString());
  if (found != named.end()) m_session.setConfig(found->second, tr("use %1").arg(name));
}

QString Comparison::freeName() const {
  const QStringList taken = names();
  int number = 1;
  while (taken.contains(tr("Configuration %1").arg(number))) ++number;
  return tr("Configuration %1").arg(number);
}

void Comparison::keep() {
  if (!m_session.hasModel()) return;
  QString name = shownName();
  if (name.isEmpty()) {
    name = freeName();
    m_session.keepConfiguration(name);
  }
  choose(name);
}

void Comparison::rename(const QString& name, const QString& newName) {
  if (newName.isEmpty() || newName == name) return;
  if (names().contains(newName)) {
    return Q_EMIT refused(
        tr("%1 keeps its name: there is a configuration %2 already.").arg(name, newName));
  }
  if (m_name == name && isKept()) m_name = newName;
  if (m_former == name) m_former = newName;
  m_session.renameConfiguration(name, newName);
}

void Comparison::duplicate(const QString& name) {
  const QStringList taken = names();
  QString copy = tr("%1 copy").arg(name);
  for (int number = 2; taken.contains(copy); ++number) {
    copy = tr("%1 copy %2").arg(name).arg(number);
  }
  m_session.copyConfiguration(name, copy);
}

// If B is the previous state, swapping is an undo; B then becomes the current state.
void Comparison::swap() {
  if (!canSwap()) return;
  const SnapshotPtr other = snapshot();
  const Configuration config = other->request.config;
  if (m_name.isEmpty()) return m_session.setConfig(config, tr("swap A and B"));
  const QString what = tr("use %1").arg(m_name);
  const QString kept = shownName();
  m_former = std::exchange(m_name, kept.isEmpty() ? freeName() : kept);
  m_preview.reset();
  if (kept.isEmpty()) {
    m_session.keepConfigurationFor(config, m_name, what);
  } else {
    m_session.setConfig(config, what);
  }
  stop();
  follow();
}

void Comparison::refine(const std::shared_ptr<const AnalysisResult>& shown,
                        const std::shared_ptr<const AnalysisResult>& refined) {
  if (m_result && m_result->result == shown) {
    auto more = std::make_shared<AnalysisSnapshot>(*m_result);
    more->result = refined;
    m_result = freedInBackground(std::move(more));
    return follow();
  }
  (m_name.isEmpty() ? m_session.controller() : m_controller).refine(shown, refined);
}

}  // namespace quantscope

#include "configuration_controller.h"

#include "app/gui/window/error_message.h"
#include "app/gui/window/window_views.h"
#include "base/configuration_error.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/look/text.h"

namespace quantscope {

ConfigurationController::ConfigurationController(Session& session, WindowViews& views,
                                                 MessageBar& messages, QObject* parent)
    : QObject(parent), m_session(session), m_views(views), m_messages(messages) {
  connect(&views.configuration(), &ConfigurationPanel::edited, &session, &Session::apply);
  connect(&views.configuration(), &ConfigurationPanel::ruleRequested, &session.precision(),
          &PrecisionEditor::setTypeOf);
  connect(&views.configuration(), &ConfigurationPanel::targetChosen, this,
          &ConfigurationController::select);
  connect(&views.inspector(), &InspectorView::editRequested, this,
          &ConfigurationController::changeSharing);
  connect(&session.precision(), &PrecisionEditor::refused, this,
          [this](const QString& sentence, const QString& hint) {
            m_messages.tell({.severity = Message::Severity::Info,
                             .sentence = sentence.left(1).toUpper() + sentence.mid(1),
                             .hint = hint,
                             .topic = QStringLiteral("precision"),
                             .passing = true});
          });
  connect(&session, &Session::requestChanged, this, &ConfigurationController::showRequest);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &ConfigurationController::tellNotices);
  showRequest();
}

void ConfigurationController::showRequest() {
  const Configuration& config = m_session.request().config;
  m_views.configuration().setConfig(*config.precision, *config.repairs);
  m_views.inspector().setSharing(config.precision->groups);
}

// The layers that an entry means, to be shown and edited as it.
void ConfigurationController::select(const PrecisionTarget& target) {
  if (!m_session.snapshot()) return;
  if (target.kind == PrecisionTarget::Kind::Nodes) {
    const NodeId node = m_session.snapshot()->graph().findNode(target.names.front());
    if (node.valid()) m_session.selection().selectNode(node);
    return;
  }
  const TypeChoices* choices = m_session.precision().choices();
  if (choices == nullptr) return;
  std::vector<NodeId> nodes;
  for (const std::size_t layer : choices->layersOf(target)) {
    nodes.push_back(m_session.snapshot()->result->layers[layer].node);
  }
  if (nodes.empty()) return;
  m_session.selection().selectNodes(nodes);
  m_session.precision().setRule(target);
}

// The error names an entry of a file, which a user of the window has never seen.
void ConfigurationController::changeSharing(const ConfigEdit& edit) {
  try {
    m_session.apply(edit);
  } catch (const Error& error) {
    if (error.place().key.empty()) return m_messages.tell(errorMessage(error, {}));
    Place place = error.place();
    place.key.clear();
    const std::string problem = tr("what is shared by hand").toStdString() + " " + error.problem();
    m_messages.tell(errorMessage({error.code(), problem, place, error.remedy()}, {}));
  }
}

// Shows the oddities of the configuration, once for each set of notices.
void ConfigurationController::tellNotices() {
  const SnapshotPtr& snapshot = m_session.snapshot();
  const std::vector<std::string> notices =
      snapshot ? snapshot->result->notices : std::vector<std::string>();
  if (notices == m_notices) return;
  m_notices = notices;
  const QString topic = QStringLiteral("configuration");
  if (notices.empty()) return m_messages.dismiss(topic);
  QStringList lines;
  for (const std::string& notice : notices) lines << text(notice);
  const auto more = static_cast<int>(notices.size()) - 1;
  m_messages.tell({.severity = Message::Severity::Info,
                   .sentence = lines.front() + u'.',
                   .hint = more > 0 ? tr("History has %1 more.").arg(more) : QString(),
                   .details = lines.join(u'\n'),
                   .topic = topic,
                   .passing = true});
}

}  // namespace quantscope

#include "job_panels.h"

#include <QHeaderView>
#include <QTableView>

#include "base/number_text.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/tables/table_looks.h"

namespace quantscope {
namespace {

QTableView* makeTable(QAbstractItemModel* model, const QString& name, const QString& fileName) {
  auto* table = new QTableView;
  table->setModel(model);
  table->setAccessibleName(name);
  dressTable(*table);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->horizontalHeader()->setStretchLastSection(true);
  table->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(table, fileName);
  return table;
}

QString kindOf(Message::Severity severity) {
  switch (severity) {
    case Message::Severity::Error:
      return JobPanels::tr("Error");
    case Message::Severity::Warning:
      return JobPanels::tr("Warning");
    default:
      return JobPanels::tr("Notice");
  }
}

}  // namespace

JobPanels::JobPanels(Session& session, MessageBar& messages, QObject* parent)
    : QObject(parent), m_session(session) {
  AnalysisController& controller = session.controller();
  connect(&controller, &AnalysisController::started, this, &JobPanels::begin);
  connect(&controller, &AnalysisController::finished, this, [this] {
    const std::size_t samples = m_session.snapshot() ? m_session.snapshot()->result->samples : 0;
    m_jobs.end(samples == 0 ? tr("structure loaded")
                            : tr("done, %1 samples").arg(text(grouped(samples))));
  });
  connect(&controller, &AnalysisController::cancelled, this,
          [this] { m_jobs.end(tr("cancelled")); });
  connect(&controller, &AnalysisController::failed, this,
          [this](const Error& error) { m_jobs.end(tr("failed: ") + text(error.what())); });
  connect(&messages, &MessageBar::told, this, &JobPanels::writeDown);
}

void JobPanels::begin() {
  const AnalysisRequest& request = m_session.request();
  QString title = fileName(request.model.string());
  if (!request.data.empty()) title += tr(" with ") + fileName(request.data);
  m_jobs.begin(title);
}

// Of several notices that are one message each has its line, the first one on top.
void JobPanels::writeDown(const Message& message) {
  const QString kind = kindOf(message.severity);
  const QStringList all = message.details.split(u'\n', Qt::SkipEmptyParts);
  if (message.severity != Message::Severity::Info || all.size() < 2) {
    return m_log.add(kind, (message.sentence + u' ' + message.hint).trimmed());
  }
  for (auto line = all.rbegin(); line != all.rend(); ++line) m_log.add(kind, *line);
}

QTableView* JobPanels::makeJobTable() {
  QTableView* table = makeTable(&m_jobs, tr("Jobs"), QStringLiteral("jobs"));
  table->setColumnWidth(JobHistory::Title, 360);
  return table;
}

QTableView* JobPanels::makeLogTable() {
  return makeTable(&m_log, tr("Log"), QStringLiteral("log"));
}

}  // namespace quantscope

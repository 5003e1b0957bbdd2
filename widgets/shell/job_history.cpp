#include "widgets/shell/job_history.h"

#include "widgets/copy/table_actions.h"

namespace quantscope {
namespace {

// Limit of the lines; the oldest are removed first.
constexpr std::size_t kMostLines = 1000;

QString clock(const QDateTime& time) {
  return time.toString(QStringLiteral("HH:mm:ss"));
}

QString exactTime(const QDateTime& time) {
  return time.toString(Qt::ISODateWithMs);
}

}  // namespace

void JobHistory::begin(const QString& title) {
  if (!m_jobs.empty() && m_jobs.front().milliseconds < 0) end(tr("replaced by a newer one"));
  beginInsertRows({}, 0, 0);
  m_jobs.insert(m_jobs.begin(), Job{QDateTime::currentDateTime(), title, -1, tr("running")});
  endInsertRows();
  if (m_jobs.size() > kMostLines) {
    const int last = static_cast<int>(m_jobs.size()) - 1;
    beginRemoveRows({}, last, last);
    m_jobs.pop_back();
    endRemoveRows();
  }
}

void JobHistory::end(const QString& outcome) {
  if (m_jobs.empty() || m_jobs.front().milliseconds >= 0) return;
  Job& job = m_jobs.front();
  job.milliseconds = job.started.msecsTo(QDateTime::currentDateTime());
  job.outcome = outcome;
  Q_EMIT dataChanged(index(0, 0), index(0, ColumnCount - 1));
}

int JobHistory::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobHistory::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant JobHistory::word(const Job& job, int column, bool exact) const {
  switch (column) {
    case Started:
      return exact ? exactTime(job.started) : clock(job.started);
    case Title:
      return job.title;
    case Duration:
      if (job.milliseconds < 0) return QStringLiteral("–");
      return QString::number(static_cast<double>(job.milliseconds) / 1000, 'f', exact ? 3 : 2);
    default:
      return job.outcome;
  }
}

QVariant JobHistory::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Job& job = m_jobs[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return word(job, index.column(), false);
  if (role == kExactRole) return word(job, index.column(), true);
  if (role == Qt::ToolTipRole) return word(job, index.column(), true);
  if (role == Qt::TextAlignmentRole && index.column() == Duration) {
    return int(Qt::AlignRight | Qt::AlignVCenter);
  }
  return {};
}

QVariant JobHistory::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Started:
      return tr("Started");
    case Title:
      return tr("Analysis");
    case Duration:
      return tr("Duration (s)");
    case Outcome:
      return tr("Outcome");
    default:
      return {};
  }
}

void MessageLog::add(const QString& kind, const QString& words) {
  beginInsertRows({}, 0, 0);
  m_lines.insert(m_lines.begin(), Line{QDateTime::currentDateTime(), kind, words});
  endInsertRows();
  if (m_lines.size() > kMostLines) {
    const int last = static_cast<int>(m_lines.size()) - 1;
    beginRemoveRows({}, last, last);
    m_lines.pop_back();
    endRemoveRows();
  }
}

int MessageLog::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int MessageLog::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant MessageLog::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Line& line = m_lines[static_cast<std::size_t>(index.row())];
  const bool exact = role == kExactRole || role == Qt::ToolTipRole;
  if (role != Qt::DisplayRole && !exact) return {};
  switch (index.column()) {
    case Time:
      return exact ? exactTime(line.time) : clock(line.time);
    case Kind:
      return line.kind;
    default:
      return line.words;
  }
}

QVariant MessageLog::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Time:
      return tr("Time");
    case Kind:
      return tr("Kind");
    case Words:
      return tr("Message");
    default:
      return {};
  }
}

}  // namespace quantscope

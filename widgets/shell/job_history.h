#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <vector>

namespace quantscope {

/// The analyses of a window, newest first: when, of what, how long, and how they ended.
class JobHistory : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Started, Title, Duration, Outcome, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /// A job begins; one that still runs was replaced by it.
  void begin(const QString& title);
  /// The running job ended: "done", "cancelled", or what went wrong.
  void end(const QString& outcome);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Job {
    QDateTime started;
    QString title;
    qint64 milliseconds = -1;  ///< −1 = still running
    QString outcome;
  };
  QVariant word(const Job& job, int column, bool exact) const;

  std::vector<Job> m_jobs;
};

/// The messages of the window, newest first.
class MessageLog : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Time, Kind, Words, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void add(const QString& kind, const QString& words);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Line {
    QDateTime time;
    QString kind;
    QString words;
  };
  std::vector<Line> m_lines;
};

}  // namespace quantscope

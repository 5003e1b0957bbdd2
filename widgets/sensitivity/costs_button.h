#pragma once

#include <QToolButton>

namespace quantscope {

/// Where the times of layers come from: a cost table in a file, else this machine. A file is that
/// of one model, and counts as long as that model is shown.
class CostsButton : public QToolButton {
  Q_OBJECT

 public:
  explicit CostsButton(QWidget* parent = nullptr);

  /// The model that is shown, by its path.
  void setModel(const QString& model);
  /// A path; empty = times of this machine.
  QString file() const { return m_owner == m_model ? m_file : QString(); }
  void setFile(const QString& file);
  /// The file whatever is shown, and the model that it is for.
  const QString& chosenFile() const { return m_file; }
  const QString& owner() const { return m_owner; }
  void restore(const QString& file, const QString& owner);

 Q_SIGNALS:
  /// By the user.
  void fileRequested();
  void cleared();

 private:
  void showFile();

  QString m_file;
  QString m_owner;
  QString m_model;
  QAction* m_clear;
};

}  // namespace quantscope

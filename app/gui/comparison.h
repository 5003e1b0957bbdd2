#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "session.h"

namespace quantscope {

/// The configuration B that the shown one, A, is compared with: the state before the last change,
/// a configuration kept under a name, which is analysed beside A, or a result that is given.
class Comparison : public QObject {
  Q_OBJECT

 public:
  /// The session outlives it.
  explicit Comparison(Session& session, QObject* parent = nullptr);

  /// The configurations that can be chosen.
  QStringList names() const;
  /// The name of B; empty = the state before.
  const QString& name() const { return m_name; }
  /// The name of A; empty if it is not kept.
  QString shownName() const;
  /// The complete result under B; null where there is none yet.
  SnapshotPtr snapshot() const;

  /// The same, where B has a name that is kept.
  SnapshotPtr kept() const { return isKept() ? snapshot() : nullptr; }
  bool isKept() const { return !m_preview && !m_result && !m_name.isEmpty(); }

  void choose(const QString& name);
  /// Makes a configuration B that is not kept, under a name of its own, until another one is
  /// chosen.
  void preview(const Configuration& config, const QString& name);
  /// Makes a result B under a name of its own: that of a repaired model, say, which no
  /// configuration alone gives. It stays until another one is chosen, or other data.
  void previewResult(const SnapshotPtr& result, const QString& name);
  /// Makes a kept configuration A, as a step that can be undone.
  void show(const QString& name);
  /// Keeps A under a name of its own, and makes it B.
  void keep();
  /// Changes of kept configurations, as steps that can be undone.
  void rename(const QString& name, const QString& newName);
  void duplicate(const QString& name);
  void remove(const QString& name) { m_session.forgetConfiguration(name); }
  /// A becomes B, and B becomes A, as a step that can be undone.
  void swap();
  bool canSwap() const { return !m_result && snapshot() != nullptr; }
  /// Measures B, where it is analysed beside A.
  AnalysisController& controller() { return m_controller; }
  /// Measures B again, after a failure: it does not begin again by itself.
  void retry();
  /// Cancels the analysis of B on the user's wish: retry() begins it again.
  void interrupt();
  /// More of B's result; nothing happens where it is B no more.
  void refine(const std::shared_ptr<const AnalysisResult>& shown,
              const std::shared_ptr<const AnalysisResult>& refined);

 Q_SIGNALS:
  /// A change that cannot be made, and why, in a sentence.
  void refused(const QString& sentence);
  /// The analysis of a chosen B has been cancelled by the user.
  void interrupted();
  void changed();

 private:
  void run();
  void stop();
  void resume(const SnapshotPtr& kept);
  void follow();
  void goBackToFormer();
  const Configuration* chosen() const;
  QString freeName() const;

  Session& m_session;
  AnalysisController m_controller;
  QString m_name;
  std::optional<Configuration> m_preview;  // the configuration called m_name, if it is not kept
  SnapshotPtr m_result;                    // what is called m_name, if it has no configuration
  std::optional<AnalysisRequest> m_asked;  // of B, by run()
  QString m_former;                        // the name of B before the last swap
};

}  // namespace quantscope

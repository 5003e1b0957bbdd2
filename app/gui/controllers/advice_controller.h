#pragma once

#include <QObject>
#include <deque>

#include "idle_probe.h"
#include "widgets/shell/message_bar.h"
#include "widgets/view/known_advice.h"

namespace quantscope {

class WindowViews;

/// Measures in idle time which changes improve the configuration: first the one change that helps
/// most, then those that help together. Applies them on request.
class AdviceController : public QObject {
  Q_OBJECT

 public:
  enum class Outcome {
    Changed,
    Nothing,    ///< nothing helps
    Overtaken,  ///< it was stopped, or something else is asked for by now
    Failed,
  };
  Q_ENUM(Outcome)

  /// All outlive it.
  AdviceController(Session& session, WindowViews& views, MessageBar& messages, QObject* parent);

  /// The advice for the shown and requested configuration; null before anything is known.
  KnownAdvicePtr advice() const;
  bool hasNext() const;
  /// Makes the change that helps most.
  void takeNext();
  bool canTakeAll() const;
  /// Applies the changes that help together, as soon as they are known; then emits allTaken().
  void takeAll();
  /// Ends what is measured in idle time, until another configuration is asked for or the user wants
  /// it again.
  void stopSearch() { setStopped(true); }
  void startSearch() { setStopped(false); }
  bool waiting() const { return m_waiting; }
  /// Leaves the configuration as it is.
  void stopWaiting() { endWaiting(Outcome::Overtaken); }

 Q_SIGNALS:
  /// The known advice has changed, or the possible actions.
  void changed();
  void allTaken(quantscope::AdviceController::Outcome outcome);

 private:
  IdleProbe::Work prepareNext(const SnapshotPtr& shown);
  IdleProbe::Work prepareAll(const SnapshotPtr& shown);
  IdleProbe::Work guarded(IdleProbe::Work work);
  void publish(KnownAdvicePtr advice);
  void setStopped(bool stopped);
  void applyAll();
  void endWaiting(Outcome outcome);
  void tellWaiting();

  Session& m_session;
  WindowViews& m_views;
  MessageBar& m_messages;
  std::deque<KnownAdvicePtr> m_known;  // the latest first
  bool m_waiting = false;              // for advice that the user has asked to apply
  bool m_stopped = false;              // by the user
  IdleProbe m_next;
  IdleProbe m_all;
};

}  // namespace quantscope

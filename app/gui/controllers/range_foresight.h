#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "app/gui/session.h"

namespace quantscope {

class InspectorView;

/// Measures the effect of a range on the outputs while it is dragged: the newest place wins.
class RangeForesight : public QObject {
  Q_OBJECT

 public:
  /// The session may go first.
  RangeForesight(Session& session, InspectorView& inspector);
  ~RangeForesight() override;

 private:
  void measure();

  Session& m_session;
  InspectorView& m_inspector;
  std::shared_ptr<JobQueue> m_queue;
  JobTag m_tag;
  std::optional<Configuration> m_wanted;
  QTimer m_pace;
  int m_asked = 0;
};

}  // namespace quantscope

#pragma once

#include <QObject>

#include "idle_probe.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Measures each layer's own effect on the outputs, if a view shows it.
class ContributionController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  ContributionController(Session& session, MessageBar& messages, QObject* parent);

 private:
  IdleProbe::Work prepare(const SnapshotPtr& shown);
  void tell();

  Session& m_session;
  MessageBar& m_messages;
  std::shared_ptr<const AnalysisResult> m_measured;
  bool m_measuring = false;
  IdleProbe m_probe;
};

}  // namespace quantscope

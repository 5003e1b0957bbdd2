#pragma once

#include <QObject>

#include "idle_probe.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

class Comparison;

/// Measures each layer's own effect on the outputs, if a view shows it: under A, then under B.
class ContributionController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ContributionController(Session& session, Comparison& comparison, MessageBar& messages,
                         QObject* parent);

 private:
  using ResultPtr = std::shared_ptr<const AnalysisResult>;

  IdleProbe::Work prepare(const SnapshotPtr& shown);
  SnapshotPtr nextOf(const SnapshotPtr& shown) const;
  bool isKnown(const ResultPtr& result) const;
  void takeOver(const ResultPtr& measured, const ResultPtr& more, bool own);
  void followOther();
  void tell();

  Session& m_session;
  Comparison& m_comparison;
  MessageBar& m_messages;
  ResultPtr m_measured;       // under A
  ResultPtr m_otherMeasured;  // under B
  ResultPtr m_other;          // B as it is compared with
  bool m_measuring = false;
  IdleProbe m_probe;
};

}  // namespace quantscope

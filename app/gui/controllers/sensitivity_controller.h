#pragma once

#include <QObject>
#include <set>

#include "idle_probe.h"
#include "jobs/sensitivity/sensitivity_in_steps.h"
#include "search/widening.h"
#include "widgets/sensitivity/run_status.h"

namespace quantscope {

class SensitivityView;

/// Measures what each layer does to the outputs, and what widening the worst of them brings, while
/// somebody has asked for it. An edit comes first; the work then goes on for what is edited.
class SensitivityController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  SensitivityController(Session& session, SensitivityView& view, QObject* parent);

  void start();
  void pause();
  bool running() const { return m_wanted; }
  /// There are layers left to measure, and types to try.
  bool canStart() const;
  /// Measures that point of the curve, too, before others.
  void measureCount(std::size_t count);
  /// The pane's number of layers is measured, and can be applied.
  bool canApply() const;
  /// Makes the first `count` layers of the curve wider, as one step that can be undone.
  void apply(std::size_t count);

 Q_SIGNALS:
  /// More is known.
  void measured();

 private:
  /// There are layers that could be measured.
  bool hasWork() const;
  /// The curve, and what it is of.
  struct Widening {
    SensitivityStatePtr ranking;
    QuantType type = QuantType::Int16;
    std::shared_ptr<const TypeChoices> choices;
    std::vector<std::size_t> order;
    WideningCurve curve;
    std::set<std::size_t> tried;  // counts; some contradict themselves
    bool complete = false;
  };
  using WideningPtr = std::shared_ptr<const Widening>;

  IdleProbe::Work prepareRows(const SnapshotPtr& shown);
  IdleProbe::Work prepareCurve(const SnapshotPtr& shown);
  /// `state` is of what the window shows and the bar asks.
  bool isCurrent(const SensitivityStatePtr& state) const;
  bool curveIsCurrent() const;
  /// What a state is of that is not current: "another configuration".
  QString differenceOf(const SensitivityState& state) const;
  static std::vector<std::size_t> untried(const Widening& widening,
                                          const std::set<std::size_t>& asked);
  void follow();
  void showRows(const QString& progress);
  void showCurve(const QString& progress);
  QString restWords() const;
  /// Where there is no curve of what the window shows: what has to come first.
  QString nextCurveWords(const QString& progress) const;

  Session& m_session;
  SensitivityView& m_view;
  SensitivityStatePtr m_state;
  WideningPtr m_widening;
  std::set<std::size_t> m_askedCounts;
  QString m_failure;  // of the rows
  QString m_curveFailure;
  bool m_wanted = false;
  IdleProbe m_rows;
  IdleProbe m_curve;
};

}  // namespace quantscope

#pragma once

#include "search/trial_runs.h"

namespace quantscope {

/// What the changes together may cost.
struct AdviceLimits {
  double bytes = 1.25;           ///< of constants, as a multiple of those of the start
  double macsAbove8Bits = 0.25;  ///< share of the multiply-accumulates; or that of the start
};

/// What a configuration takes of what is limited.
struct Spending {
  double bytes = 0;
  double macsAbove8Bits = 0;
};

/// The limits in figures of one network.
class AdviceBudget {
 public:
  AdviceBudget(const AdviceLimits& limits, const Trial& start);

  static Spending spendingOf(const Trial& trial);
  static Spending spendingOf(const TrialRuns& runs, const QuantizedModel& model);
  /// Of both limits together: 2 where both are used up.
  double shareOf(const Spending& spending) const;
  /// By how much it is beyond the limits, as a share of them; 0 where it is within.
  double excessOf(const Spending& spending) const;
  /// True within the limits, where the backend runs as much as it does of the start.
  bool allows(const QuantizedModel& model, const Spending& spending) const;

 private:
  double m_startBytes = 0;
  double m_mostBytes = 0;
  double m_mostMacs = 0;
  std::size_t m_notSupported = 0;
};

}  // namespace quantscope

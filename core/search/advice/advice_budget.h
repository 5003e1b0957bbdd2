#pragma once

#include "search/trial_runs.h"

namespace quantscope {

/// The limits on the cost of all changes together.
struct AdviceLimits {
  double bytes = 1.25;           ///< of constants, as a multiple of those of the start
  double macsAbove8Bits = 0.25;  ///< share of the multiply-accumulates; or that of the start
};

/// The use that a configuration makes of the limited resources.
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
  /// The shares of both limits, added up: 2 if both are used up.
  double shareOf(const Spending& spending) const;
  /// The excess over the limits, as a share of them; 0 within the limits.
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

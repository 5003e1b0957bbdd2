#include "search/advice/advice_budget.h"

#include <algorithm>

#include "analysis/cost/summary.h"

namespace quantscope {
namespace {

constexpr double kSumRounding = 1e-12;

}  // namespace

AdviceBudget::AdviceBudget(const AdviceLimits& limits, const Trial& start)
    : m_startBytes(start.point.bytes),
      m_mostBytes(limits.bytes * start.point.bytes),
      m_mostMacs(std::max(limits.macsAbove8Bits, start.macsAbove8Bits.value_or(0))),
      m_notSupported(start.model->notSupported.size()) {}

Spending AdviceBudget::spendingOf(const Trial& trial) {
  return {trial.point.bytes, trial.macsAbove8Bits.value_or(0)};
}

Spending AdviceBudget::spendingOf(const TrialRuns& runs, const QuantizedModel& model) {
  const QuantizationSummary summary = runs.summaryOf(model);
  return {static_cast<double>(summary.quantizedBytes), summary.macsAbove8Bits.value_or(0)};
}

double AdviceBudget::shareOf(const Spending& spending) const {
  const double room = std::max(m_mostBytes - m_startBytes, 1.0);
  return spending.bytes / room + spending.macsAbove8Bits / std::max(m_mostMacs, 1e-9);
}

double AdviceBudget::excessOf(const Spending& spending) const {
  const double room = std::max(m_mostBytes - m_startBytes, 1.0);
  const double bytes = std::max(0.0, spending.bytes - m_mostBytes) / room;
  const double macs = std::max(0.0, spending.macsAbove8Bits - m_mostMacs - kSumRounding);
  return bytes + macs / std::max(m_mostMacs, 1e-9);
}

bool AdviceBudget::allows(const QuantizedModel& model, const Spending& spending) const {
  return excessOf(spending) == 0 && model.notSupported.size() <= m_notSupported;
}

}  // namespace quantscope

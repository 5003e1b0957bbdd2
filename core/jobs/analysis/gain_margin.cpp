#include "jobs/analysis/gain_margin.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quantscope {

std::optional<double> luckOf(const OutputResult& before, const OutputResult& after) {
  const std::size_t samples = std::min(before.sampleSqnrDb.size(), after.sampleSqnrDb.size());
  std::vector<double> gains;
  std::vector<double> weights;
  double weight = 0;
  double sum = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto sqnrDb = static_cast<double>(before.sampleSqnrDb[i]);
    const double gain = static_cast<double>(after.sampleSqnrDb[i]) - sqnrDb;
    if (!std::isfinite(gain)) continue;
    gains.push_back(gain);
    weights.push_back(std::pow(10, -sqnrDb / 10));
    weight += weights.back();
    sum += weights.back() * gain;
  }
  if (gains.size() < 2) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const double off = weights[i] * (gains[i] - sum / weight);
    squares += off * off;
  }
  const auto count = static_cast<double>(gains.size());
  return std::sqrt(squares * count / (count - 1)) / weight;
}

void GainMargin::add(const std::optional<GainEstimate>& estimate, const OutputResult& before,
                     const OutputResult& after) {
  const std::optional<double> luckDb = luckOf(before, after);
  if (!luckDb || !before.error.sqnrDb || !after.error.sqnrDb) return;
  m_luckDb = std::max(m_luckDb, *luckDb);
  m_leastLuckDb = std::min(m_leastLuckDb, *luckDb);
  if (!estimate || estimate->moved > kMostMoved) return;
  const double off = *after.error.sqnrDb - *before.error.sqnrDb - estimate->gainDb;
  const double allowed = std::hypot(*luckDb, estimate->errorDb);
  if (allowed > 0) m_squares += off * off / (allowed * allowed);
  ++m_known;
}

// Estimates that have missed by more than they may so far may go on to.
bool GainMargin::settles(const std::optional<GainEstimate>& estimate, double leastGainDb) const {
  if (!estimate || estimate->moved > kMostMoved || m_known == 0) return false;
  const double missed = std::sqrt(m_squares / static_cast<double>(m_known));
  const double off =
      kStandardErrors * std::max(1.0, missed) * std::hypot(m_luckDb, estimate->errorDb);
  return estimate->gainDb + off < leastGainDb;
}

bool GainMargin::settles(const OutputResult& before, const OutputResult& after,
                         double leastGainDb) const {
  const std::optional<double> luckDb = luckOf(before, after);
  if (!luckDb || !before.error.sqnrDb || !after.error.sqnrDb) return false;
  const double off = kStandardErrors * std::max(*luckDb, m_leastLuckDb);
  return *after.error.sqnrDb - *before.error.sqnrDb + off < leastGainDb;
}

}  // namespace quantscope

#include "jobs/sensitivity_in_steps.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "analysis/sensitivity_sweep.h"
#include "analysis/worst_output.h"
#include "jobs/request_labels.h"

namespace quantscope {
namespace {

// Few at once, because the rows are shown as they come.
constexpr std::size_t kRowsAtOnce = 16;

// An unknown SQNR counts as infinite, as not sensitive.
double decibelsOf(const std::optional<double>& sqnrDb) {
  return sqnrDb.value_or(std::numeric_limits<double>::infinity());
}

void sortRows(std::vector<SensitivityRow>& rows) {
  std::ranges::stable_sort(
      rows, {}, [](const SensitivityRow& row) { return decibelsOf(worstOutputSqnr(row.outputs)); });
}

class Steps {
 public:
  Steps(const AnalysisSnapshot& base, const SensitivityRequest& asked,
        const SensitivityStatePtr& before, AnalysisMemory& memory, JobContext& job,
        const SensitivityStateSink& publish)
      : m_samples(*base.data),
        m_publish(publish),
        m_labels(labelsOf(base.request)),
        m_sensitivity(*base.model.engine, base.request.config, *base.observations, asked, m_samples,
                      m_labels, memory, job) {
    if (before && isAbout(*before, base.request, asked)) m_state = *before;
    m_state.request = base.request;
    m_state.asked = asked;
  }

  void run() {
    if (m_state.baseline.empty()) m_state.baseline = m_sensitivity.baseline();
    const std::vector<std::size_t> missing = findMissing();
    publish();
    if (missing.empty()) return;
    sweepSensitivity(m_sensitivity, m_samples, missing, kRowsAtOnce,
                     {.ranked = [this](const EarlyRanking& ranking) { take(ranking); },
                      .measured = [this](const auto& rows) { take(rows); }});
  }

 private:
  std::vector<std::size_t> findMissing() {
    std::set<std::pair<std::string, QuantType>> known;
    for (const SensitivityRow& row : m_state.rows) known.emplace(row.node, row.type);
    std::vector<std::size_t> missing;
    m_state.waiting.clear();
    m_state.rankedOn = 0;
    for (std::size_t i = 0; i < m_sensitivity.items().size(); ++i) {
      const SensitivityItem& item = m_sensitivity.items()[i];
      if (known.contains({m_sensitivity.nodeOf(item), item.type})) continue;
      missing.push_back(i);
      m_state.waiting.push_back({m_sensitivity.nodeOf(item), item.type, std::nullopt});
    }
    return missing;
  }

  void take(const EarlyRanking& ranking) {
    m_state.waiting.clear();
    for (std::size_t i = 0; i < ranking.places.size(); ++i) {
      const SensitivityItem& item = m_sensitivity.items()[ranking.places[i]];
      m_state.waiting.push_back({m_sensitivity.nodeOf(item), item.type, ranking.sqnrDb[i]});
    }
    m_state.rankedOn = ranking.samples;
    publish();
  }

  // They come in the order in which they wait.
  void take(const std::vector<SensitivityRow>& rows) {
    m_state.rows.insert(m_state.rows.end(), rows.begin(), rows.end());
    sortRows(m_state.rows);
    m_state.waiting.erase(m_state.waiting.begin(),
                          m_state.waiting.begin() + static_cast<std::ptrdiff_t>(rows.size()));
    publish();
  }

  void publish() const { m_publish(std::make_shared<const SensitivityState>(m_state)); }

  SampleSet& m_samples;
  const SensitivityStateSink& m_publish;
  Labels m_labels;
  Sensitivity m_sensitivity;
  SensitivityState m_state;
};

}  // namespace

bool isAbout(const SensitivityState& state, const AnalysisRequest& request,
             const SensitivityRequest& asked) {
  return sameData(state.request, request) && state.request.config == request.config &&
         state.asked == asked;
}

void sensitivityInSteps(const AnalysisSnapshot& base, const SensitivityRequest& asked,
                        const SensitivityStatePtr& before, AnalysisMemory& memory, JobContext& job,
                        const SensitivityStateSink& publish) {
  Steps(base, asked, before, memory, job, publish).run();
}

}  // namespace quantscope

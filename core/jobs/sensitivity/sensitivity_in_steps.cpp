#include "jobs/sensitivity/sensitivity_in_steps.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/errors/computable_outputs.h"
#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/early_ranking.h"
#include "analysis/sensitivity/sensitivity_sweep.h"
#include "jobs/request_labels.h"

namespace quantscope {
namespace {

// Few at once, because the rows are shown as they come.
constexpr ItemsAtOnce kRowsAtOnce{4, 16, 2};

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
    if (before && isAbout(*before, base, asked)) m_state = *before;
    m_state.request = base.request;
    m_state.files = analysedFiles(base);
    m_state.asked = asked;
    m_state.samples = m_samples.sampleCount();
  }

  void run() {
    if (m_state.baseline.empty()) m_state.baseline = m_sensitivity.baseline();
    const std::vector<std::size_t> missing = findMissing();
    if (missing.empty()) return publish();
    estimate(missing);
    sweepSensitivity(m_sensitivity, rank(missing), kRowsAtOnce,
                     [this](const auto& rows) { take(rows); });
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
      if (!known.contains({m_sensitivity.nodeOf(item), item.type})) missing.push_back(i);
    }
    return missing;
  }

  // All items, so that the measured ones say how good the estimates are.
  void estimate(const std::vector<std::size_t>& missing) {
    show(missing, {});
    m_state.notEstimated = m_sensitivity.whyNoEstimate();
    if (!m_state.notEstimated.empty() || !m_state.estimates.empty()) return;
    std::vector<std::size_t> all(m_sensitivity.items().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EarlyEstimates estimates = estimateEarly(m_sensitivity, m_samples, all);
    m_state.estimates = std::move(estimates.rows);
    m_state.estimatedOn = estimates.samples;
  }

  std::optional<double> estimateOf(std::size_t place) const {
    return m_state.estimates.empty() ? std::nullopt
                                     : worstOutputSqnr(m_state.estimates[place].outputs);
  }

  // The most sensitive first, by their places. What gradients say nothing of is measured on few
  // samples.
  std::vector<std::size_t> rank(const std::vector<std::size_t>& missing) {
    std::vector<std::size_t> others;
    std::ranges::copy_if(missing, std::back_inserter(others),
                         [this](std::size_t place) { return !estimateOf(place); });
    if (others.empty()) return show(missing, {});
    if (others.size() < missing.size()) show(missing, {});
    const EarlyRanking ranking = rankEarly(m_sensitivity, m_samples, others);
    m_state.rankedOn = ranking.samples;
    std::map<std::size_t, std::optional<double>> measured;
    for (std::size_t i = 0; i < ranking.places.size(); ++i) {
      measured.emplace(ranking.places[i], ranking.sqnrDb[i]);
    }
    return show(missing, measured);
  }

  // Publishes what waits, in the order that it returns. `measured`: by place, on few samples.
  std::vector<std::size_t> show(std::vector<std::size_t> places,
                                const std::map<std::size_t, std::optional<double>>& measured) {
    const auto sqnrDb = [&](std::size_t place) {
      const auto found = measured.find(place);
      return found == measured.end() ? estimateOf(place) : found->second;
    };
    std::ranges::stable_sort(places, {},
                             [&](std::size_t place) { return decibelsOf(sqnrDb(place)); });
    m_state.waiting.clear();
    for (const std::size_t place : places) {
      const SensitivityItem& item = m_sensitivity.items()[place];
      m_state.waiting.push_back(
          {m_sensitivity.nodeOf(item), item.type, sqnrDb(place), estimateOf(place).has_value()});
    }
    publish();
    return places;
  }

  // They come in the order in which they wait.
  void take(const std::vector<SensitivityRow>& rows) {
    m_state.rows.insert(m_state.rows.end(), rows.begin(), rows.end());
    sortRows(m_state.rows);
    m_state.waiting.erase(m_state.waiting.begin(),
                          m_state.waiting.begin() + static_cast<std::ptrdiff_t>(rows.size()));
    m_state.quality = compareEstimates(m_state.estimates, m_state.rows);
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

bool isAbout(const SensitivityState& state, const AnalysisSnapshot& analysis,
             const SensitivityRequest& asked) {
  return isAbout(state, analysis.request, asked) && state.files == analysedFiles(analysis);
}

void sensitivityInSteps(const AnalysisSnapshot& base, const SensitivityRequest& asked,
                        const SensitivityStatePtr& before, AnalysisMemory& memory, JobContext& job,
                        const SensitivityStateSink& publish) {
  requireComputableOutput(*base.model.engine);
  Steps(base, asked, before, memory, job, publish).run();
}

}  // namespace quantscope

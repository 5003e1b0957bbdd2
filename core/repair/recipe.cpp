#include "repair/recipe.h"

#include <algorithm>
#include <new>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/seconds_since.h"
#include "base/time_limit.h"
#include "repair/raised_scales.h"
#include "repair/ranges/accumulator_pairs.h"
#include "repair/repair_course.h"
#include "repair/runnable_steps.h"
#include "repair/scales/fold_normalizations.h"
#include "repair/split_samples.h"
#include "repair/state_changer.h"
#include "repair/step_candidate.h"
#include "repair/without_step.h"

namespace quantscope {
namespace {

// Share of the remaining time for all ways of a step after the first: later steps gain more.
constexpr double kStepShare = 0.15;
constexpr const char* kNothingToChange = "there is nothing here that it would change";
// The scatter of their gains tells a gain from luck.
constexpr std::size_t kLeastHeldOut = 2;

void requireHeldOut(const SplitSamples& split) {
  if (split.heldOutCount() >= kLeastHeldOut) return;
  throw Error(ErrorCode::InvalidParameters,
              "1 held-out sample proves nothing: it does not tell a gain from chance", {},
              "give at least " + std::to_string(kLeastHeldOut) + " samples of data");
}

class Recipe {
 public:
  Recipe(const RepairState& start, SampleSet& data, SplitSamples& split, SampleSet& calibration,
         const ObservationSettings& settings, const Labels& labels, const RepairRequest& request,
         AnalysisMemory& memory, JobContext& job)
      : m_data(data),
        m_split(split),
        m_request(request),
        m_outer(job),
        m_limit(job, request.stop),
        m_changer(*start.engine, split, calibration, settings, labels, memory, job, m_limit) {
    m_result.synthetic = data.synthetic();
    m_result.folds = split.foldCount();
    m_result.fitSamples = split.fit().sampleCount();
    m_result.heldOutSamples = split.heldOutCount();
    m_result.recordings = split.recordings();
    m_result.calibratedApart = &data != &calibration;
    m_start = {start, {}, {}, 0};
    m_start.state.fixed = findFixedGrids(*start.engine, start.config, *start.model);
    if (split.foldCount() > 1) m_start.folds.assign(split.foldCount(), m_start.state);
    m_known = RepairCourse::closest(request);
  }

  RepairResult run() {
    const LinearLayers layers = findLinearLayers(*m_start.state.engine, *m_start.state.model);
    m_runnable = RunnableSteps(m_start.state, layers, m_request);
    m_result.refused = leftAlone(m_start.state.engine->graph(), layers);
    if (m_known != nullptr) {
      m_start = m_known->start;
      m_result.startAll = m_known->startAll;
    } else {
      m_changer.measure(m_start, "As configured", m_outer);
      m_result.startAll = m_changer.judge().measureAll(*m_start.state.engine, *m_start.state.model,
                                                       m_data, m_outer);
    }
    requireFigures(m_start.outputs);
    tryAll(layers);
    finish();
    return std::move(m_result);
  }

 private:
  // Running out of time is no error: the gains so far stay.
  void tryAll(const LinearLayers& layers) {
    m_now = m_start;
    try {
      fold(layers);
      takeGiven();
      // What was decided before takes the time that it takes.
      if (m_request.seconds) m_limit.start(*m_request.seconds);
      for (const RepairStep& step : m_request.steps) {
        // Where threads are scarce the one that watches the time comes late.
        m_result.outOfTime = m_result.outOfTime || m_limit.over();
        if (m_result.outOfTime) return;
        if (step.runsLast) eliminateOnce();
        tryStep(step);
      }
      if (!m_result.outOfTime) eliminateOnce();
    } catch (const Cancelled&) {
      m_outer.throwIfCancelled();
      m_result.outOfTime = true;
    }
  }

  void fold(const LinearLayers& layers) {
    if (m_known != nullptr) {
      m_now = m_known->folded;
    } else {
      const Overlay folding = foldNormalizations(*m_start.state.engine, *m_start.state.model,
                                                 layers, m_start.state.fixed);
      m_now.state =
          withOverlay(m_start.state, folding, OverlayEffect::SameValues, m_changer.tools());
      m_now.folds.assign(m_start.folds.size(), m_now.state);
      m_changer.measure(m_now, "Folding normalizations", m_changer.tools().job);
    }
    m_folded = m_now;
  }

  void takeGiven() {
    std::size_t next = 0;
    const std::optional<std::size_t> lead =
        m_known == nullptr ? std::nullopt : m_known->lead(m_request.given);
    if (lead) {
      m_now = m_known->end;
      for (; next < *lead; ++next) {
        const GivenStep& given = m_request.given[next];
        m_kept.push_back({&given.step, given.way, given.only, m_result.steps.size()});
        m_result.steps.push_back(m_known->kept[next]);
      }
    }
    m_changer.setPatient(true);
    for (; next < m_request.given.size(); ++next) takeGiven(m_request.given[next]);
    m_changer.setPatient(false);
    m_given = m_kept.size();
  }

  void takeGiven(const GivenStep& given) {
    const auto begin = std::chrono::steady_clock::now();
    StepReport report;
    report.step = given.step.name;
    report.way = given.way;
    report.only = given.only;
    report.reason = whyNot(given.step, given.only);
    if (report.reason.empty()) {
      StateChange changed =
          m_changer.change(m_now, given.only, given.step, given.way, given.step.name);
      report.follow(changed.proposal);
      if (changed.after) {
        MeasuredState after = *std::move(changed.after);
        if (!given.step.fitsBiases) after = m_changer.withBiases(std::move(after), given.only);
        const StepGain gain = judgeStep(m_now.outputs, after.outputs);
        report.describe(changed.proposal, given.way, gain, m_now, after, anyToFit());
        report.kept = true;
        report.reason = "it was chosen";
        if (!gain.refusal.empty()) report.reason += ", but " + gain.refusal;
        m_now = std::move(after);
        m_finished.reset();
        m_kept.push_back({&given.step, given.way, given.only, m_result.steps.size()});
      } else if (report.reason.empty()) {
        report.reason = kNothingToChange;
      }
    }
    report.seconds = secondsSince(begin);
    m_result.steps.push_back(std::move(report));
  }

  void tryStep(const RepairStep& step) {
    const auto begin = std::chrono::steady_clock::now();
    m_changer.setPatient(step.endsItself);
    m_untried = 0;
    m_cutShort.clear();
    m_failure.clear();
    m_stepBegin = begin;
    m_stepSeconds = m_limit.secondsLeft();
    StepReport report;
    report.step = step.name;
    report.only = m_request.only;
    try {
      report.reason = whyNot(step, m_request.only);
      if (report.reason.empty()) carryOut(step, report);
    } catch (const Error& error) {
      // One failed step does not affect the gains of the others.
      report.reason = error.what();
    } catch (const std::bad_alloc&) {
      report.reason = kNoMemoryForIt;
    } catch (const Cancelled&) {
      m_outer.throwIfCancelled();
      report.reason = m_limit.stopped() ? "it was stopped before it was done"
                                        : "the time was over before it was done";
      report.seconds = secondsSince(begin);
      m_result.steps.push_back(std::move(report));
      throw;
    }
    if (m_untried > 0) {
      report.reason += "; there was no time for " + std::to_string(m_untried) + " of " +
                       std::to_string(step.ways) + " ways of it";
    }
    noteWays(report);
    report.seconds = secondsSince(begin);
    m_result.steps.push_back(std::move(report));
    m_changer.setPatient(false);
    const bool anyLeft = m_untried > 0 || !m_cutShort.empty();
    if (step.endsItself && anyLeft && m_limit.over()) m_result.outOfTime = true;
  }

  // What became of ways that are not the one that the report is about.
  void noteWays(StepReport& report) const {
    bool told = false;
    for (const FittingEnd& end : m_cutShort) {
      if (!told && report.end == end) {
        told = true;
        continue;
      }
      report.notes.push_back("one of its ways ended early, " + end.how + " after " +
                             grouped(end.steps) + " of at most " + grouped(end.planned) + " steps");
    }
    const bool isReason = m_failure.empty() || report.reason.starts_with(m_failure);
    if (!isReason) report.notes.push_back("one of its ways failed: " + m_failure);
  }

  std::string whyNot(const RepairStep& step, const std::vector<std::string>& only) const {
    std::string reason = m_split.whyTooFew(step.samples);
    if (!reason.empty()) return reason;
    reason = m_runnable.whyNot(step, only);
    if (!reason.empty()) return reason;
    for (const KeptStep& kept : m_kept) {
      if (std::string_view(kept.step->name) != step.containedIn) continue;
      return "'" + std::string(kept.step->name) + "' has done it already";
    }
    return {};
  }

  // There is no time for a further way of the step.
  bool isLate(const RepairStep& step) const {
    if (step.endsItself) return m_limit.over();
    return m_stepSeconds && secondsSince(m_stepBegin) > kStepShare * *m_stepSeconds;
  }

  std::optional<StepCandidate> tryWay(const RepairStep& step, std::size_t way, StepReport& report) {
    StateChange changed = m_changer.change(m_now, m_request.only, step, way, step.name);
    report.follow(changed.proposal);
    if (report.end && report.end->cutShort) m_cutShort.push_back(*report.end);
    if (!changed.after) return std::nullopt;
    StepCandidate candidate{std::move(changed.proposal), *std::move(changed.after), way};
    if (!step.fitsBiases) {
      candidate.measured = m_changer.withBiases(std::move(candidate.measured), m_request.only);
    }
    candidate.gain = judgeStep(base(step).outputs, candidate.measured.outputs);
    if (candidate.gain.refusal.empty()) {
      // Fitted biases come with the step, and have to pass as well.
      candidate.gain.refusal = judgeStep(m_now.outputs, candidate.measured.outputs).refusal;
    }
    if (candidate.gain.refusal.empty()) candidate.gain.refusal = lostSince(candidate.measured);
    return candidate;
  }

  // Nothing where given steps have lost it already.
  std::string lostSince(const MeasuredState& state) const {
    return lostSinceStart(m_start.outputs.heldOut, m_now.outputs.heldOut, state.outputs.heldOut);
  }

  // The best way by held-out samples, preferring ways that pass the test. On the fitting samples
  // the way that overfits looks best. A way that fails leaves the others; the first such is told.
  std::optional<StepCandidate> bestOf(const RepairStep& step, StepReport& report) {
    std::optional<StepCandidate> best;
    try {
      for (std::size_t way = 0; way < step.ways; ++way) {
        const std::size_t left = step.ways - way;
        m_changer.setWaysLeft(left);
        if (way > 0 && isLate(step)) {
          m_untried = left;
          break;
        }
        try {
          std::optional<StepCandidate> candidate = tryWay(step, way, report);
          if (candidate && (!best || candidate->beats(*best))) best = std::move(candidate);
        } catch (const Error& error) {
          if (m_failure.empty()) m_failure = error.what();
        } catch (const std::bad_alloc&) {
          if (m_failure.empty()) m_failure = kNoMemoryForIt;
        }
      }
    } catch (const Cancelled&) {
      m_outer.throwIfCancelled();
      if (!best) throw;
      m_result.outOfTime = true;
    }
    return best;
  }

  // The base that a step is compared with: the state so far, with fitted biases where biases count.
  const MeasuredState& base(const RepairStep& step) {
    if (step.fitsBiases) return m_now;
    if (!m_finished) m_finished = m_changer.withBiases(m_now, m_request.only);
    return *m_finished;
  }

  void carryOut(const RepairStep& step, StepReport& report) {
    std::optional<StepCandidate> best = bestOf(step, report);
    if (!best) {
      // Ways that found nothing to change say nothing of one that failed.
      if (!m_failure.empty()) report.reason = m_failure;
      if (report.reason.empty()) report.reason = kNothingToChange;
      return;
    }
    const std::string& refusal = best->gain.refusal;
    report.kept = refusal.empty();
    report.reason = report.kept ? "it passes the held-out test" : refusal;
    report.describe(best->proposal, best->way,
                    report.kept ? judgeStep(m_now.outputs, best->measured.outputs) : best->gain,
                    m_now, best->measured, anyToFit());
    if (!report.kept) return;
    if (best->measured.fittedBiases && base(step).fittedBiases) {
      report.gainOfBiasesDb = judgeStep(m_now.outputs, base(step).outputs).heldOutDb;
    }
    m_now = std::move(best->measured);
    m_finished.reset();
    m_kept.push_back({&step, best->way, m_request.only, m_result.steps.size()});
  }

  bool anyToFit() const { return m_split.fit().feedCount() > 0; }

  void eliminateOnce() {
    try {
      if (!m_eliminated) eliminate();
    } catch (const std::bad_alloc&) {
      // All of them stay then.
    }
    m_eliminated = true;
  }

  // The last kept step is not tested: its worth is the gain that it just had. Given ones stay.
  void eliminate() {
    for (std::size_t i = m_given; i + 1 < m_kept.size();) {
      if (!leaveOut(i)) ++i;
    }
  }

  // Whether the others are as good without it.
  bool leaveOut(std::size_t index) {
    try {
      ShorterRecipe shorter(m_changer, m_folded, m_kept, m_result.steps, anyToFit());
      WithoutStep less = shorter.run(index);
      if (!lostOutput(m_now.outputs.heldOut, less.state.outputs.heldOut).empty() ||
          !lostSince(less.state).empty()) {
        return false;
      }
      shorter.measureBiases(less);
      takeOver(index, std::move(less));
      return true;
    } catch (const Error&) {
      return false;  // another step cannot do without it
    }
  }

  void takeOver(std::size_t left, WithoutStep&& less) {
    less.reports[left].kept = false;
    less.reports[left].reason = "beside the later steps it is worth less than 0.1 dB";
    // What comes behind it now has another state before it.
    const auto first = m_kept.begin() + static_cast<std::ptrdiff_t>(left);
    std::vector<KeptStep> kept(m_kept.begin(), first);
    for (std::size_t i = left; i < m_kept.size(); ++i) {
      if (less.reports[i].kept) kept.push_back(m_kept[i]);
      m_result.steps[m_kept[i].report] = std::move(less.reports[i]);
    }
    m_kept = std::move(kept);
    m_now = std::move(less.state);
    m_finished.reset();
  }

  bool worseThanStart() const {
    const std::vector<OutputResult>& start = m_start.outputs.heldOut;
    return worstDecibels(m_now.outputs.heldOut) < worstDecibels(start) ||
           !lostOutput(start, m_now.outputs.heldOut).empty();
  }

  void keepCourse() {
    if (m_folded.state.engine == nullptr) return;  // the time was over before that
    auto course = std::make_shared<RepairCourse>();
    course->start = m_start;
    course->startAll = m_result.startAll;
    course->folded = m_folded;
    course->end = m_kept.empty() ? m_folded : m_now;
    for (const KeptStep& kept : m_kept) course->kept.push_back(m_result.steps[kept.report]);
    m_result.course = std::move(course);
  }

  // The layers that kept steps may change; none = all.
  std::vector<std::string> changedLayers() const {
    std::vector<std::string> names;
    for (const KeptStep& kept : m_kept) {
      if (kept.only.empty()) return {};
      names.insert(names.end(), kept.only.begin(), kept.only.end());
    }
    return names;
  }

  // The outer job measures: the time for repairs may be over.
  void finish() {
    m_result.stopped = m_result.outOfTime && m_limit.stopped();
    if (m_kept.empty() || (m_request.given.empty() && worseThanStart())) {
      for (const KeptStep& kept : m_kept) {
        m_result.steps[kept.report].kept = false;
        m_result.steps[kept.report].reason = "all steps together are worse than the start";
      }
      m_kept.clear();
      m_now = m_start;
    }
    keepCourse();
    // Biases that were fitted and scales that were clipped may no longer go together.
    if (!m_kept.empty()) raiseScales(m_changer, m_start.outputs, changedLayers(), m_now, m_result);
    m_result.start = m_start.outputs;
    m_result.end = m_now.outputs;
    m_result.endAll =
        m_changer.judge().measureAll(*m_now.state.engine, *m_now.state.model, m_data, m_outer);
    m_result.state = std::move(m_now.state);
    const RepairState& end = m_result.state;
    for (const LinearLayer& layer : findLinearLayers(*end.engine, *end.model).layers) {
      m_result.unsafePairs += unsafePairs(*end.engine, *end.model, layer);
    }
  }

  SampleSet& m_data;
  SplitSamples& m_split;
  const RepairRequest& m_request;
  JobContext& m_outer;
  std::chrono::steady_clock::time_point m_stepBegin;
  std::optional<double> m_stepSeconds;  // left at its begin, where a time is set
  std::size_t m_untried = 0;            // ways of the step at hand
  std::vector<FittingEnd> m_cutShort;   // likewise, those that ended themselves early
  std::string m_failure;                // likewise, of the first that failed
  TimeLimit m_limit;
  StateChanger m_changer;
  MeasuredState m_start;
  MeasuredState m_folded;
  MeasuredState m_now;
  std::optional<MeasuredState> m_finished;  // m_now with fitted biases
  std::vector<KeptStep> m_kept;
  std::size_t m_given = 0;  // so many of them are given
  const RepairCourse* m_known = nullptr;
  bool m_eliminated = false;
  RunnableSteps m_runnable;
  RepairResult m_result;
};

}  // namespace

RepairResult repairModel(const RepairState& state, SampleSet& data, SampleSet& calibration,
                         const ObservationSettings& settings, const Labels& labels,
                         const RepairRequest& request, AnalysisMemory& memory, JobContext& job) {
  SplitSamples split(*state.twin, data, calibration, memory, job);
  if (!request.steps.empty()) requireHeldOut(split);
  return Recipe(state, data, split, calibration, settings, labels, request, memory, job).run();
}

}  // namespace quantscope

#include "repair/recipe.h"

#include <algorithm>
#include <new>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "base/seconds_since.h"
#include "base/time_limit.h"
#include "repair/ranges/accumulator_pairs.h"
#include "repair/repair_course.h"
#include "repair/runnable_steps.h"
#include "repair/scales/fold_normalizations.h"
#include "repair/split_samples.h"
#include "repair/state_changer.h"
#include "repair/step_candidate.h"

namespace quantscope {
namespace {

// Share of the remaining time for all ways of a step after the first: later steps gain more.
constexpr double kStepShare = 0.15;
constexpr const char* kNoMemory = "there was not enough memory for it";
constexpr const char* kNothingToChange = "there is nothing here that it would change";

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
    for (std::size_t i = 0; i < split.foldCount(); ++i) {
      m_result.heldOutSamples += split.fold(i).heldOut.sampleCount();
    }
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
        describe(changed.proposal, given.way, gain, after, report);
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
      report.reason = kNoMemory;
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
    report.seconds = secondsSince(begin);
    m_result.steps.push_back(std::move(report));
    m_changer.setPatient(false);
    if (step.endsItself && m_limit.over()) m_result.outOfTime = true;
  }

  std::string whyNot(const RepairStep& step, const std::vector<std::string>& only) const {
    const std::size_t samples = m_split.leastFit();
    if (step.samples > samples) {
      return "insufficient data: it needs " + std::to_string(step.samples) +
             " samples to fit to, beside as many that are held out, but there are " +
             std::to_string(samples);
    }
    std::string reason = m_runnable.whyNot(step, only);
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
    m_cutShort = m_cutShort || (report.end && report.end->cutShort);
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
    if (candidate.gain.refusal.empty()) candidate.gain.refusal = lostSinceStart(candidate.measured);
    return candidate;
  }

  // What small losses of several steps add up to; nothing where given steps have lost it already.
  std::string lostSinceStart(const MeasuredState& state) const {
    const std::vector<OutputResult>& start = m_start.outputs.heldOut;
    if (!lostOutput(start, m_now.outputs.heldOut).empty()) return {};
    const std::string lost = lostOutput(start, state.outputs.heldOut);
    return lost.empty() ? lost : "against the start, " + lost;
  }

  // The best way by held-out samples, preferring ways that pass the test. On the fitting samples
  // the way that overfits looks best.
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
        } catch (const Error&) {
          if (!best && left == 1) throw;
        } catch (const std::bad_alloc&) {
          if (!best && left == 1) throw;
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
      if (report.reason.empty()) report.reason = kNothingToChange;
      return;
    }
    const std::string& refusal = best->gain.refusal;
    report.kept = refusal.empty();
    report.reason = report.kept ? "it passes the held-out test" : refusal;
    describe(best->proposal, best->way,
             report.kept ? judgeStep(m_now.outputs, best->measured.outputs) : best->gain,
             best->measured, report);
    if (!report.kept) return;
    if (best->measured.fittedBiases && base(step).fittedBiases) {
      report.gainOfBiasesDb = judgeStep(m_now.outputs, base(step).outputs).heldOutDb;
    }
    m_now = std::move(best->measured);
    m_finished.reset();
    m_kept.push_back({&step, best->way, m_request.only, m_result.steps.size()});
  }

  void takeGain(const StepGain& gain, StepReport& report) const {
    if (m_split.fit().feedCount() > 0) report.gainFitDb = gain.fitDb;
    report.gainHeldOutDb = gain.heldOutDb;
  }

  void describe(const RepairProposal& proposal, std::size_t way, const StepGain& gain,
                const MeasuredState& after, StepReport& report) const {
    report.what = proposal.what;
    report.refused = proposal.refused;
    report.end = proposal.end;
    report.way = way;
    report.nodes = proposal.nodes;
    report.inserted = proposal.inserted;
    report.fittedBiases = after.fittedBiases;
    report.bytes = after.bytes - m_now.bytes;
    takeGain(gain, report);
    for (const OutputResult& output : after.outputs.heldOut) {
      if (!output.kl) continue;
      report.kl = output.kl;
      report.top1Agreement = output.top1Agreement;
      break;
    }
  }

  /// The steps that are kept, without one of them.
  struct Shortened {
    MeasuredState state;
    std::vector<StepGain> gains;  // by kept step, each against the state before
  };

  // From the folded model on.
  Shortened without(std::size_t left) {
    Shortened less{m_folded, std::vector<StepGain>(m_kept.size())};
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
      if (i == left) continue;
      const auto& [step, way, only, report] = m_kept[i];
      StateChange changed = m_changer.change(less.state, only, *step, way, "Leaving steps out");
      if (!changed.after) continue;
      MeasuredState after = *std::move(changed.after);
      if (!step->fitsBiases) after = m_changer.withBiases(std::move(after), only);
      less.gains[i] = judgeStep(less.state.outputs, after.outputs);
      less.state = std::move(after);
    }
    return less;
  }

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
      Shortened less = without(i);
      if (!lostOutput(m_now.outputs.heldOut, less.state.outputs.heldOut).empty() ||
          !lostSinceStart(less.state).empty()) {
        ++i;
        continue;
      }
      StepReport& report = m_result.steps[m_kept[i].report];
      report.kept = false;
      report.reason = "beside the later steps it is worth less than 0.1 dB";
      // What comes behind it now has another state before it.
      for (std::size_t later = i + 1; later < m_kept.size(); ++later) {
        takeGain(less.gains[later], m_result.steps[m_kept[later].report]);
      }
      m_now = std::move(less.state);
      m_kept.erase(m_kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
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

  // Biases that were fitted and scales that were clipped may no longer go together.
  void fitIntegerBiases() {
    std::vector<std::string> names;
    for (const KeptStep& kept : m_kept) {
      if (kept.only.empty()) {
        names.clear();
        break;
      }
      names.insert(names.end(), kept.only.begin(), kept.only.end());
    }
    m_changer.setPatient(true);
    try {
      StateChange changed =
          m_changer.change(m_now, names, *findRepairStep("bias-overflow"), 0, "Checking biases");
      if (!changed.after ||
          !lostOutput(m_now.outputs.heldOut, changed.after->outputs.heldOut).empty()) {
        return;
      }
      m_result.raisedScales = changed.proposal.nodes;
      m_now = *std::move(changed.after);
    } catch (const std::bad_alloc&) {
      // They stay as they are.
    }
  }

  // The outer job measures: the time for repairs may be over.
  void finish() {
    m_result.outOfTime = m_result.outOfTime || m_cutShort;
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
    if (!m_kept.empty()) fitIntegerBiases();
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
  bool m_cutShort = false;  // a step ended itself early; others may still have run
  RunnableSteps m_runnable;
  RepairResult m_result;
};

}  // namespace

RepairResult repairModel(const RepairState& state, SampleSet& data, SampleSet& calibration,
                         const ObservationSettings& settings, const Labels& labels,
                         const RepairRequest& request, AnalysisMemory& memory, JobContext& job) {
  SplitSamples split(data, calibration);
  return Recipe(state, data, split, calibration, settings, labels, request, memory, job).run();
}

}  // namespace quantscope

#include "search/measured/measured_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "analysis/cost/model_time.h"
#include "base/error.h"
#include "base/time_limit.h"
#include "search/measured/choice_reasons.h"
#include "search/measured/goal_words.h"
#include "search/measured/least_cost.h"
#include "search/measured/measured_front.h"
#include "search/measured/reached_goal.h"
#include "search/measured/search_ranks.h"
#include "search/measured/tied_units.h"
#include "search/trial_runs.h"

namespace quantscope {
namespace {

using Options = LayerOptions;

// Measuring anew around what was found; more rounds find next to nothing.
constexpr int kMostRoundsAround = 4;
// Over the whole front: some are beaten by others.
constexpr std::size_t kProposals = 30;
// Wanted number of front points, if the network has that many.
constexpr std::size_t kPoints = 20;
// Changes of one or two layers in members of the front: always, and until it has its points.
constexpr std::size_t kBeside = 20;
constexpr std::size_t kMostBeside = 100;
// A step of a search for the cheapest that keeps a promise.
constexpr int kHalvings = 5;
constexpr int kTightenings = 6;
constexpr double kTighter = 0.95;

class MeasuredSearch {
 public:
  MeasuredSearch(const std::shared_ptr<const Engine>& engine, const Configuration& start,
                 const Observations& observations, SampleSet& samples, const Labels& labels,
                 const SearchRequest& request, AnalysisMemory& memory, JobContext& job,
                 const FrontSink& publish)
      : m_publish(publish),
        m_start(start),
        m_goal(request.goal),
        m_frontCost(frontCost(request.goal.kind)),
        m_costs(request.costs),
        m_engine(*engine),
        m_graph(engine->graph()),
        m_outer(job),
        m_limit(job, request.ranks == nullptr ? request.stop : nullptr),
        m_job(m_limit.job()),
        m_ranks(jointRanks(*engine, samples, labels, request, job)),
        m_runs(*engine, start, observations, samples, labels, memory, m_job,
               m_ranks ? &*m_ranks : nullptr),
        m_startModel(quantizeModel(*engine, start, observations, memory.parameters, &job)),
        m_weights(allWeightsCost(*engine, *m_startModel)),
        m_space(findSearchSpace(engine, start, m_startModel, observations, request.types,
                                memory.parameters, job, request.costs.get())) {
    if (request.named) requireTakers(m_space, start.precision->backend);
    requireWeights(m_goal, m_weights.elements);
    if (m_costs != nullptr) m_floatTime = floatTime(*m_costs, m_graph, *m_startModel);
  }

  OptimizedConfig run() {
    try {
      search();
      if (m_ranks) m_ranks->meet({}, m_job);
    } catch (const Cancelled&) {
      m_outer.throwIfCancelled();
      m_stopped = true;
    }
    const std::shared_ptr<const Trial> found = m_startTrial != nullptr ? best() : nullptr;
    if (m_stopped && found == nullptr) throw Cancelled();  // nothing that it could return
    return result(found);
  }

 private:
  void search() {
    const Options start(m_space.layers.size(), 0);
    m_rest = costOfStart() - costOf(start);
    if (m_goal.kind != SearchGoal::Kind::MaxDrop) requireReachable();
    m_startTrial = trial(start);
    const bool ofDrop = m_goal.kind == SearchGoal::Kind::MaxDrop;
    if (ofDrop && !m_startTrial->point.drop) throw unmeasurableDrop();
    m_alone = measureAlone(m_space, m_start, m_runs);
    measureFront();
    measureBesideFront();
    if (ofDrop) {
      approachDrop();
    } else {
      improve(budgetWithTrials());
      tighten();
      improveSafely();
    }
    measureBesideFront();  // what was found last may have beaten some
  }

  bool isOfTime() const { return m_frontCost == FrontCost::Time; }
  ProgramCost programCost() const {
    if (isOfTime()) return ProgramCost::Time;
    return m_goal.kind == SearchGoal::Kind::Bits ? ProgramCost::Bits : ProgramCost::Bytes;
  }
  double costOf(const Options& options) const {
    double cost = 0;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const SearchLayer& layer = m_space.layers[i];
      cost += quantscope::costOf(layer, layer.options[options[i]], programCost());
    }
    if (!isOfTime()) return cost;
    const auto kind = [&](std::size_t place) {
      return kindOf(m_space.layers[place].options[options[place]]);
    };
    for (const LayerBorder& border : m_space.borders) {
      if (kind(border.first) != kind(border.second)) cost += border.time;
    }
    return cost;
  }
  double costOfStart() const {
    if (isOfTime()) return modelTime(*m_costs, m_graph, *m_startModel);
    if (m_goal.kind == SearchGoal::Kind::Bits) return m_weights.meanBits() * m_weights.elements;
    return static_cast<double>(m_runs.summaryOf(*m_startModel).quantizedBytes);
  }
  double costOf(const Trial& trial) const {
    if (isOfTime()) return trial.point.microseconds.value_or(0);
    return m_goal.kind == SearchGoal::Kind::Bits ? trial.point.bits * m_weights.elements
                                                 : trial.point.bytes;
  }
  // The budget of the choices.
  double costLimit() const { return limitOfGoal() - m_rest; }

  // The budget of the whole network.
  double limitOfGoal() const {
    if (m_goal.kind == SearchGoal::Kind::Speedup) return m_floatTime / m_goal.limit;
    return m_goal.limit * (m_goal.kind == SearchGoal::Kind::Bits ? m_weights.elements : 1);
  }

  IntegerProgram programAround(const AddedNoise& noise) const {
    IntegerProgram program = programOf(m_space, noise, programCost());
    program.excluded = m_impossible;
    return program;
  }

  std::optional<Options> proposed(const IntegerProgram& program, double budget) {
    std::optional<Proposal> found = propose(program, budget, m_job);
    if (!found) return std::nullopt;
    m_largestGap = std::max(m_largestGap, found->gap);
    return std::move(found->options);
  }

  // Measured as a whole; null where it contradicts itself, which is then known.
  std::shared_ptr<const Trial> trial(const Options& options) {
    const auto known = m_trials.find(options);
    if (known != m_trials.end()) return known->second;
    const Configuration config =
        editOf(m_space, options, "the types that a search has found").apply(m_start);
    const std::shared_ptr<const QuantizedModel> model = m_runs.quantize(config);
    if (model == nullptr) {
      auto& combination = m_impossible.emplace_back();
      for (std::size_t i = 0; i < options.size(); ++i) combination.emplace_back(i, options[i]);
      return nullptr;
    }
    const std::string stage = "Configuration " + std::to_string(m_trials.size() + 1);
    auto made = std::make_shared<Trial>(m_runs.run(config, model, stage));
    if (m_costs != nullptr) {
      const double time = modelTime(*m_costs, m_graph, *model);
      made->point.microseconds = time;
      if (time > 0) made->point.speedup = m_floatTime / time;
    }
    m_trials.emplace(options, made);
    return made;
  }

  void measureFront() {
    IntegerProgram program = programAround(m_alone.noise);
    const double least = leastCost(program);
    double most = least;
    for (const auto& unit : program.units) {
      most += std::ranges::max(unit, {}, &ProgramChoice::cost).cost -
              std::ranges::min(unit, {}, &ProgramChoice::cost).cost;
    }
    // Many budgets lead to the same configuration or to one that is beaten: then those between.
    for (std::size_t i = 0; i <= 2 * kProposals; ++i) {
      const bool between = i > kProposals;
      if (between && measuredFront(m_trials, m_frontCost).size() >= kPoints) break;
      const double place = static_cast<double>(i) - (between ? kProposals + 0.5 : 0.0);
      const double share = place / kProposals;
      // Evenly in the ratio: what halves the size is as far as what doubles it.
      const double budget = least * std::pow(std::max(most / std::max(least, 1.0), 1.0), share);
      program.excluded = m_impossible;
      const std::optional<Options> options = proposed(program, budget);
      if (options && trial(*options) && m_publish) m_publish(front());
    }
  }

  // What proposals by added errors have missed, and points between theirs.
  void measureBesideFront() {
    IntegerProgram program =
        programOf(m_space, m_alone.noise, isOfTime() ? ProgramCost::Time : ProgramCost::Bytes);
    for (; m_besides < kMostBeside; ++m_besides) {
      const bool few = measuredFront(m_trials, m_frontCost).size() < kPoints;
      if (m_besides >= kBeside && !few) return;
      program.excluded = m_impossible;
      const std::optional<Options> options = besideFront(m_trials, m_frontCost, program, few);
      if (!options) return;
      if (trial(*options) && m_publish) m_publish(front());
    }
  }

  void requireReachable() const {
    const double least = costBound();
    if (least > limitOfGoal() * kOfLimit)
      throw unreachableBudget(m_goal, measureOf(least), m_floatTime);
  }

  // No configuration costs less. The sum over options is no bound: it counts what layers share for
  // each of them.
  double costBound() const {
    if (isOfTime()) return leastTime(*m_costs, m_graph, *m_startModel, m_space);
    const WeightCost least = leastWeightCost(m_engine, *m_startModel, m_space);
    if (m_goal.kind == SearchGoal::Kind::Bits) return least.bits;
    return costOfStart() - m_weights.bytes + least.bytes;
  }

  // A cost of the whole network, as the goal counts it.
  double measureOf(double cost) const {
    return m_goal.kind == SearchGoal::Kind::Bits ? cost / m_weights.elements : cost;
  }

  bool reachesGoal(const Trial& trial) const {
    return quantscope::reachesGoal(trial, m_goal, limitOfGoal());
  }

  // The better of two measured ones that reach the goal, by the figures that are shown.
  bool isBetter(const Trial& one, const Trial& other) const {
    const double noise = worstNoise(one.all) - worstNoise(other.all);
    const double cost = costOfPoint(one.point, m_frontCost) - costOfPoint(other.point, m_frontCost);
    const bool ofDrop = m_goal.kind == SearchGoal::Kind::MaxDrop;
    const double first = ofDrop ? cost : noise;
    const double second = ofDrop ? noise : cost;
    if (first != 0) return first < 0;
    return second != 0 ? second < 0 : one.point.bytes < other.point.bytes;
  }

  std::optional<Options> bestWithin(double budget) const {
    std::optional<Options> found;
    double least = 0;
    for (const auto& [options, trial] : m_trials) {
      const double noise = worstNoise(trial->used);
      if (costOf(options) > budget || (found && noise >= least)) continue;
      if (m_onlySafe && !isSafe(*trial)) continue;
      found = options;
      least = noise;
    }
    return found;
  }

  // The program counts what layers share for each of them. Where nothing measured fits its budget,
  // the cheapest choice is measured as well, and the budget is that of one that reaches the goal.
  double budgetWithTrials() {
    const double budget = costLimit();
    if (bestWithin(budget)) return budget;
    const auto cheapest = cheapestOptions(programAround(m_alone.noise), m_job);
    if (cheapest) trial(*cheapest);
    std::optional<double> least;
    for (const auto& [options, trial] : m_trials) {
      if (!reachesGoal(*trial)) continue;
      least = std::min(least.value_or(costOf(options)), costOf(options));
    }
    return std::max(budget, least.value_or(budget));
  }

  // Errors do not add up: around the best configuration each layer's change is measured anew.
  void improve(double budget) {
    for (int round = 0; round < kMostRoundsAround; ++round) {
      const std::optional<Options> center = bestWithin(budget);
      if (!center) return;
      const IntegerProgram around = programAround(
          measureAround(m_space, m_start, *center, *m_trials.at(*center), m_alone, m_runs));
      const std::optional<Options> next = proposed(around, budget);
      if (!next) return;
      if (!findBetter(*center, *next, around, budget)) return;
    }
  }

  // What is best on the samples that are seen may be worse on the others: then again, around the
  // best one that is not.
  void improveSafely() {
    const double budget = budgetWithTrials();
    const std::optional<Options> center = bestWithin(budget);
    m_onlySafe = center && !isSafe(*m_trials.at(*center));
    if (m_onlySafe) improve(budget);
    if (m_onlySafe && best() == m_startTrial) improve(costOf(Options(m_space.layers.size(), 0)));
  }

  // The total time of conversions is known only after a run: if it exceeds the program's estimate,
  // the budget is reduced.
  void tighten() {
    double budget = costLimit();
    for (int i = 0; i < kTightenings && isOfTime() && best() == nullptr; ++i) {
      budget *= kTighter;
      const auto options = proposed(programAround(m_alone.noise), budget);
      if (!options) return;
      trial(*options);
      improve(budget);
    }
  }

  // Too many changes at once may spoil each other; then only the more promising half is tried.
  bool findBetter(const Options& center, const Options& next, const IntegerProgram& around,
                  double budget) {
    const double before = worstNoise(m_trials.at(center)->used);
    const auto take = [&](Options& options, const std::vector<std::size_t>& units) {
      for (const std::size_t unit : units) options[unit] = next[unit];
    };
    std::vector<std::pair<double, std::vector<std::size_t>>> gains;  // (noise saved, units)
    for (const std::vector<std::size_t>& units : tiedUnits(around)) {
      Options changed = center;
      take(changed, units);
      const double saved = noiseOf(around, center) - noiseOf(around, changed);
      if (changed != center) gains.emplace_back(saved, units);
    }
    std::ranges::sort(gains, std::greater());
    for (std::size_t count = gains.size(); count > 0; count /= 2) {
      Options changed = center;
      for (std::size_t i = 0; i < count; ++i) take(changed, gains[i].second);
      if (costOf(changed) > budget || !isPossible(around, changed)) continue;
      const std::shared_ptr<const Trial> found = trial(changed);
      if (found == nullptr || (m_onlySafe && !isSafe(*found))) continue;
      if (worstNoise(found->used) < before) return true;
    }
    return false;
  }

  // Between the cheapest known one that keeps the promise and the next cheaper one.
  void approachDrop() {
    IntegerProgram program = programAround(m_alone.noise);
    double cheaper = leastCost(program) + m_rest;
    const std::shared_ptr<const Trial> first = best();
    for (const auto& [options, trial] : m_trials) {
      const bool below = first == nullptr || trial->point.bytes < first->point.bytes;
      if (below && !reachesGoal(*trial)) cheaper = std::max(cheaper, trial->point.bytes);
    }
    for (int i = 0; i < kHalvings; ++i) {
      const std::shared_ptr<const Trial> kept = best();
      if (kept == nullptr) return;
      const double middle = (cheaper + kept->point.bytes) / 2;
      program.excluded = m_impossible;
      const std::optional<Options> options = proposed(program, middle - m_rest);
      const std::shared_ptr<const Trial> found = options ? trial(*options) : nullptr;
      if (found == nullptr || !reachesGoal(*found)) improve(middle - m_rest);
      // Where even that keeps no promise, it takes more bytes.
      if (best()->point.bytes >= kept->point.bytes) cheaper = middle;
    }
  }

  // Never worse than a start that reaches the goal, on samples that the search did not see as well.
  bool isSafe(const Trial& trial) const {
    if (m_goal.kind == SearchGoal::Kind::MaxDrop || !reachesGoal(*m_startTrial)) return true;
    return !isWorseOnPart(trial);
  }

  bool isWorseOnPart(const Trial& trial) const {
    return worstNoise(trial.used) > worstNoise(m_startTrial->used) ||
           worstNoise(trial.heldOut) > worstNoise(m_startTrial->heldOut);
  }

  std::shared_ptr<const Trial> best() const {
    std::shared_ptr<const Trial> found;
    for (const auto& [options, trial] : m_trials) {
      if (!reachesGoal(*trial) || !isSafe(*trial)) continue;
      if (found == nullptr || isBetter(*trial, *found)) found = trial;
    }
    return found;
  }

  OptimizedConfig result(const std::shared_ptr<const Trial>& chosen) const {
    if (chosen == nullptr) throw notReached();
    OptimizedConfig result;
    result.config = chosen->config;
    result.start = m_startTrial->point;
    result.chosen = chosen->point;
    result.pareto = front(chosen.get());
    result.costs = m_costs;
    result.gap = m_largestGap;
    result.notices = m_startModel->notices;
    result.complete = !m_stopped;
    if (m_stopped) {
      result.notices.emplace_back(
          "the search was stopped before its end: this is the best of what it had measured");
    }
    if (m_costs != nullptr) {
      std::ranges::move(timeNotices(*m_costs, usedTimes(m_space, m_graph, *m_startModel)),
                        std::back_inserter(result.notices));
    }
    if (!m_runs.holdsOut()) result.notices.emplace_back(kNothingHeldOut);
    if (std::string told = m_runs.recordings(); !told.empty()) result.notices.push_back(told);
    std::ranges::move(sampleNotices(m_goal, m_runs.classified()),
                      std::back_inserter(result.notices));
    result.why = std::ranges::find(result.pareto, true, &FrontPoint::chosen)->why;
    return result;
  }

  // None where it was stopped before the layers were measured.
  std::vector<ChoiceReason> reasonsOf(const Options& options) const {
    if (m_alone.noise.empty()) return {};
    return choiceReasons(m_space, m_alone, options, m_costs.get());
  }

  Error notReached() const {
    const Trial* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [options, trial] : m_trials) {
      const bool ofDrop = m_goal.kind == SearchGoal::Kind::MaxDrop;
      const double miss = ofDrop ? largestDrop(*trial) : measureOf(costOf(*trial));
      if (nearest != nullptr && miss >= least) continue;
      least = miss;
      nearest = trial.get();
    }
    return unmetGoal(m_goal, least, m_floatTime, nearest->point);
  }

  // With what was chosen, also where something unsafe beats it.
  std::vector<FrontPoint> front(const Trial* chosen = nullptr) const {
    std::vector<Trials::const_iterator> members = measuredFront(m_trials, m_frontCost);
    const auto isChosen = [&](Trials::const_iterator each) { return each->second.get() == chosen; };
    if (chosen != nullptr && std::ranges::none_of(members, isChosen)) {
      auto each = m_trials.begin();
      while (!isChosen(each)) ++each;
      const auto cost = [&](Trials::const_iterator of) {
        return costOfPoint(of->second->point, m_frontCost);
      };
      members.insert(std::ranges::upper_bound(members, cost(each), {}, cost), each);
    }
    std::vector<FrontPoint> front;
    for (const Trials::const_iterator& each : members) {
      front.push_back({.point = each->second->point,
                       .config = each->second->config,
                       .why = reasonsOf(each->first),
                       .worseOnPart = isWorseOnPart(*each->second),
                       .chosen = isChosen(each)});
    }
    return front;
  }

  const FrontSink& m_publish;
  const Configuration& m_start;
  SearchGoal m_goal;
  FrontCost m_frontCost;
  std::shared_ptr<const CostTable> m_costs;  // null: nothing is asked of time
  const Engine& m_engine;
  const Graph& m_graph;
  JobContext& m_outer;
  TimeLimit m_limit;
  JobContext& m_job;  // of the limit
  bool m_stopped = false;
  bool m_onlySafe = false;            // looks for what is not worse on any part of the samples
  std::optional<JointRanks> m_ranks;  // none: this is the only one
  TrialRuns m_runs;
  std::shared_ptr<const QuantizedModel> m_startModel;
  WeightCost m_weights;  // of the start
  SearchSpace m_space;
  AloneErrors m_alone;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> m_impossible;
  Trials m_trials;
  std::size_t m_besides = 0;  // tried beside the front
  std::shared_ptr<const Trial> m_startTrial;
  double m_largestGap = 0;  // of all programs so far
  double m_floatTime = 0;   // microseconds for a sample
  double m_rest = 0;        // of the goal's cost: what no choice is about
};

}  // namespace

const std::vector<QuantType>& searchTypes() {
  static const std::vector<QuantType> types{QuantType::Int4, QuantType::Int8, QuantType::Int16,
                                            QuantType::Float16, QuantType::Float32};
  return types;
}

FrontCost frontCost(SearchGoal::Kind kind) {
  using Kind = SearchGoal::Kind;
  return kind == Kind::Time || kind == Kind::Speedup ? FrontCost::Time : FrontCost::Bytes;
}

OptimizedConfig searchMeasured(const std::shared_ptr<const Engine>& engine,
                               const Configuration& start, const Observations& observations,
                               SampleSet& samples, const Labels& labels,
                               const SearchRequest& request, AnalysisMemory& memory,
                               JobContext& job, const FrontSink& publish) {
  return MeasuredSearch(engine, start, observations, samples, labels, request, memory, job, publish)
      .run();
}

}  // namespace quantscope

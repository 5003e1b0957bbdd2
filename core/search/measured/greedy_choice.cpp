#include "search/measured/greedy_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace quantscope {
namespace {

// Relative to the noise: what rounding makes of nothing is no gain, or the search would go in
// circles.
constexpr double kNoticeable = 1e-9;

using Change = std::vector<std::pair<std::size_t, std::size_t>>;  // (unit, choice)

class Greedy {
 public:
  Greedy(const IntegerProgram& program, double budget) : m_program(program), m_budget(budget) {
    for (const auto& unit : program.units) {
      for (const ProgramChoice& choice : unit) m_outputs = std::max(m_outputs, choice.noise.size());
    }
  }

  std::optional<ProgramSolution> run() {
    for (const auto& unit : m_program.units) m_solution.push_back(cheapest(unit));
    if (!agree()) return std::nullopt;
    m_cost = costOf(m_program, m_solution);
    if (m_cost > m_budget) return std::nullopt;
    m_noise = noiseByOutput();
    findChanges();
    while (step()) {
    }
    return isPossible(m_program, m_solution) ? std::optional(m_solution) : std::nullopt;
  }

 private:
  static std::size_t cheapest(const std::vector<ProgramChoice>& unit) {
    return static_cast<std::size_t>(std::ranges::min_element(unit, {}, &ProgramChoice::cost) -
                                    unit.begin());
  }

  // Units on one grid take the cheapest kind that all of them have, those that are alike the
  // cheapest form.
  bool agree() {
    return agree(m_program.together, &ProgramChoice::kind) &&
           agree(m_program.alike, &ProgramChoice::form) && isPossible(m_program, m_solution);
  }

  bool agree(const std::vector<std::vector<std::size_t>>& groups, int ProgramChoice::*of) {
    for (const std::vector<std::size_t>& units : groups) {
      double least = std::numeric_limits<double>::infinity();
      std::optional<Change> best;
      for (const Change& change : changesOf(units, of)) {
        double cost = 0;
        for (const auto& [unit, choice] : change) cost += m_program.units[unit][choice].cost;
        if (cost >= least) continue;
        least = cost;
        best = change;
      }
      if (!best) return false;
      for (const auto& [unit, choice] : *best) m_solution[unit] = choice;
    }
    return true;
  }

  // All of them of one kind or form, for each: each in its cheapest choice of it.
  std::vector<Change> changesOf(const std::vector<std::size_t>& units,
                                int ProgramChoice::*of) const {
    std::map<int, Change> byKind;
    for (const std::size_t unit : units) {
      std::map<int, std::size_t> own;
      for (std::size_t i = 0; i < m_program.units[unit].size(); ++i) {
        const ProgramChoice& choice = m_program.units[unit][i];
        const auto [known, isNew] = own.try_emplace(choice.*of, i);
        if (!isNew && choice.cost < m_program.units[unit][known->second].cost) known->second = i;
      }
      for (const auto& [kind, choice] : own) byKind[kind].emplace_back(unit, choice);
    }
    std::vector<Change> changes;
    for (const auto& [kind, change] : byKind) {
      if (change.size() == units.size()) changes.push_back(change);
    }
    return changes;
  }

  void findChanges() {
    std::vector<bool> bound(m_program.units.size());
    const auto add = [&](const auto& groups, int ProgramChoice::*of) {
      for (const std::vector<std::size_t>& units : groups) {
        for (const std::size_t unit : units) bound[unit] = true;
        for (Change& change : changesOf(units, of)) m_changes.push_back(std::move(change));
      }
    };
    add(m_program.together, &ProgramChoice::kind);
    add(m_program.alike, &ProgramChoice::form);
    for (std::size_t unit = 0; unit < bound.size(); ++unit) {
      for (std::size_t i = 0; !bound[unit] && i < m_program.units[unit].size(); ++i) {
        m_changes.push_back({{unit, i}});
      }
    }
  }

  std::vector<double> noiseByOutput() const {
    std::vector<double> noise(m_outputs);
    for (std::size_t unit = 0; unit < m_solution.size(); ++unit) {
      addNoise(unit, m_solution[unit], 1, noise);
    }
    return noise;
  }

  void addNoise(std::size_t unit, std::size_t choice, double factor,
                std::vector<double>& noise) const {
    const std::vector<double>& own = m_program.units[unit][choice].noise;
    for (std::size_t output = 0; output < own.size(); ++output) {
      noise[output] += factor * own[output];
    }
  }

  static double largest(const std::vector<double>& noise) {
    return noise.empty() ? 0 : *std::ranges::max_element(noise);
  }

  bool step() {
    const double before = largest(m_noise);
    double bestRate = 0;
    const Change* best = nullptr;
    for (const Change& change : m_changes) {
      std::vector<double> noise = m_noise;
      double cost = 0;
      for (const auto& [unit, choice] : change) {
        addNoise(unit, m_solution[unit], -1, noise);
        addNoise(unit, choice, 1, noise);
        cost += m_program.units[unit][choice].cost - m_program.units[unit][m_solution[unit]].cost;
      }
      const double saved = before - largest(noise);
      if (saved <= kNoticeable * std::abs(before) || m_cost + cost > m_budget) continue;
      const double rate = cost > 0 ? saved / cost : std::numeric_limits<double>::infinity();
      if (rate <= bestRate || !fits(change)) continue;
      bestRate = rate;
      best = &change;
    }
    if (best == nullptr) return false;
    for (const auto& [unit, choice] : *best) m_solution[unit] = choice;
    m_cost = costOf(m_program, m_solution);
    m_noise = noiseByOutput();
    return true;
  }

  // Conversions count here, and what has turned out to be impossible.
  bool fits(const Change& change) const {
    ProgramSolution changed = m_solution;
    for (const auto& [unit, choice] : change) changed[unit] = choice;
    return costOf(m_program, changed) <= m_budget && isPossible(m_program, changed);
  }

  const IntegerProgram& m_program;
  double m_budget = 0;
  std::size_t m_outputs = 0;
  ProgramSolution m_solution;
  double m_cost = 0;
  std::vector<double> m_noise;
  std::vector<Change> m_changes;
};

}  // namespace

std::optional<ProgramSolution> greedyChoice(const IntegerProgram& program, double budget) {
  return Greedy(program, budget).run();
}

}  // namespace quantscope

#include "search/measured/integer_program.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "search/measured/greedy_choice.h"

namespace quantscope {
namespace {

constexpr int kRounds = 4;
constexpr double kRounding = 1 + 1e-9;
constexpr double kNoiseTolerance = 1e-3;  // relative; that of the solver's rows, many times over

struct DeleteProblem {
  void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
};

// GLPK keeps its memory in one place for all threads.
std::mutex& solverMutex() {
  static std::mutex mutex;
  return mutex;
}

// Limits and state of the solver's callback.
struct Watch {
  const SolverLimits& limits;
  double enough = std::numeric_limits<double>::infinity();  // a bound that a known solution is near
  double bound = -std::numeric_limits<double>::infinity();  // below all that is still open
};

void stopAtLimits(glp_tree* tree, void* info) {
  auto& watch = *static_cast<Watch*>(info);
  int total = 0;
  glp_ios_tree_size(tree, nullptr, nullptr, &total);
  const int best = glp_ios_best_node(tree);
  if (best != 0) watch.bound = std::max(watch.bound, glp_ios_node_bound(tree, best));
  const bool cancelled = watch.limits.cancelled && watch.limits.cancelled();
  if (cancelled || watch.bound >= watch.enough || total > watch.limits.subproblems)
    glp_ios_terminate(tree);
}

std::size_t outputsOf(const IntegerProgram& program) {
  std::size_t outputs = 0;
  for (const auto& unit : program.units) {
    for (const ProgramChoice& choice : unit) outputs = std::max(outputs, choice.noise.size());
  }
  return outputs;
}

double leastNoiseAt(const std::vector<ProgramChoice>& unit, std::size_t output) {
  double least = std::numeric_limits<double>::infinity();
  for (const ProgramChoice& choice : unit) {
    least = std::min(least, output < choice.noise.size() ? choice.noise[output] : 0);
  }
  return least;
}

std::set<int> kindsOf(const IntegerProgram& program, std::size_t unit) {
  std::set<int> kinds;
  for (const ProgramChoice& choice : program.units[unit]) kinds.insert(choice.kind);
  return kinds;
}

// By output: the sum of the least noise of each unit.
std::vector<double> leastByOutput(const IntegerProgram& program) {
  std::vector<double> least(outputsOf(program));
  for (std::size_t output = 0; output < least.size(); ++output) {
    for (const auto& unit : program.units) least[output] += leastNoiseAt(unit, output);
  }
  return least;
}

// The program without choices that are noisier, with the quietest of all other units, than
// `noisiest`; the places of those left, by unit.
struct Reduced {
  Reduced(const IntegerProgram& whole, double noisiest)
      : program(whole), places(whole.units.size()) {
    const std::vector<double> least = leastByOutput(whole);
    for (std::size_t unit = 0; unit < whole.units.size(); ++unit) {
      program.units[unit].clear();
      for (std::size_t i = 0; i < whole.units[unit].size(); ++i) {
        const ProgramChoice& choice = whole.units[unit][i];
        bool tooNoisy = false;
        for (std::size_t output = 0; output < choice.noise.size(); ++output) {
          const double others = least[output] - leastNoiseAt(whole.units[unit], output);
          tooNoisy = tooNoisy || choice.noise[output] + others > noisiest * kRounding;
        }
        if (tooNoisy) continue;
        program.units[unit].push_back(choice);
        places[unit].push_back(i);
      }
    }
    takeExclusions(whole);
  }

  void takeExclusions(const IntegerProgram& whole) {
    program.excluded.clear();
    for (const auto& excluded : whole.excluded) {
      std::vector<std::pair<std::size_t, std::size_t>> kept;
      for (const auto& [unit, choice] : excluded) {
        const auto place = std::ranges::find(places[unit], choice);
        if (place == places[unit].end()) break;
        kept.emplace_back(unit, static_cast<std::size_t>(place - places[unit].begin()));
      }
      if (kept.size() == excluded.size()) program.excluded.push_back(std::move(kept));
    }
  }

  // No solution where a unit has no choice left, or the solver finds nothing in time.
  struct Outcome {
    std::optional<ProgramSolution> solution;
    double bound = -std::numeric_limits<double>::infinity();  // below the noise of all solutions
  };
  // It stops where nothing can be much better than a solution of `known` noise.
  Outcome solve(double budget, std::optional<double> noiseLimit, const SolverLimits& limits,
                double known = std::numeric_limits<double>::infinity()) const;

  IntegerProgram program;
  std::vector<ProgramSolution> places;
};

// One row of the matrix at a time.
class Row {
 public:
  void add(int column, double factor) { m_factors[column] += factor; }
  void take(glp_prob* problem, int type, double low, double high) const {
    std::vector<int> columns{0};  // GLPK counts from 1
    std::vector<double> factors{0};
    for (const auto& [column, factor] : m_factors) {
      if (factor == 0) continue;
      columns.push_back(column);
      factors.push_back(factor);
    }
    const int row = glp_add_rows(problem, 1);
    glp_set_row_bnds(problem, row, type, low, high);
    glp_set_mat_row(problem, row, static_cast<int>(columns.size()) - 1, columns.data(),
                    factors.data());
  }

 private:
  std::map<int, double> m_factors;
};

class Formulation {
 public:
  /// Without a noise limit the objective is the noise, else the effort.
  Formulation(const IntegerProgram& program, double budget, std::optional<double> noiseLimit = {})
      : m_program(program) {
    glp_term_out(GLP_OFF);
    m_problem.reset(glp_create_prob());
    glp_set_obj_dir(m_problem.get(), GLP_MIN);
    addChoices();
    addNoise(noiseLimit);
    if (noiseLimit) addEffort();
    addBudget(budget);
    addShares();
    addAgreement();
    addLikeness();
    addExclusions();
  }

  Reduced::Outcome solve(const SolverLimits& limits, double known) const {
    Watch watch{.limits = limits, .enough = known * (1 - limits.relativeGap) / m_noiseScale};
    glp_iocp options;
    glp_init_iocp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.presolve = GLP_ON;
    options.mip_gap = limits.relativeGap;
    options.cb_func = stopAtLimits;
    options.cb_info = &watch;
    int end = glp_intopt(m_problem.get(), &options);
    // The presolver may take rounding for a contradiction, or fail at it: the simplex method tells.
    if ((end == GLP_ENOPFS || end == GLP_EFAIL) && glp_simplex(m_problem.get(), nullptr) == 0 &&
        glp_get_status(m_problem.get()) == GLP_OPT) {
      options.presolve = GLP_OFF;
      end = glp_intopt(m_problem.get(), &options);
    }
    const int status = glp_mip_status(m_problem.get());
    if (status != GLP_OPT && status != GLP_FEAS) return {std::nullopt, watch.bound * m_noiseScale};
    const double found = glp_mip_obj_val(m_problem.get());
    // Nothing open is left, or nothing that is better by more than the gap: the callback does not
    // see the last bounds.
    if (end == 0 && status == GLP_OPT) watch.bound = found;
    if (end == GLP_EMIPGAP) watch.bound = std::max(watch.bound, found * (1 - limits.relativeGap));
    ProgramSolution solution;
    for (std::size_t unit = 0; unit < m_program.units.size(); ++unit) {
      std::size_t best = 0;
      for (std::size_t choice = 1; choice < m_program.units[unit].size(); ++choice) {
        if (chosen(unit, choice) > chosen(unit, best)) best = choice;
      }
      solution.push_back(best);
    }
    return {std::move(solution), watch.bound * m_noiseScale};
  }

 private:
  int column(std::size_t unit, std::size_t choice) const {
    return m_first[unit] + static_cast<int>(choice);
  }
  double chosen(std::size_t unit, std::size_t choice) const {
    return glp_mip_col_val(m_problem.get(), column(unit, choice));
  }

  int addColumn(int kind) {
    const int column = glp_add_cols(m_problem.get(), 1);
    glp_set_col_kind(m_problem.get(), column, kind);
    if (kind == GLP_CV) glp_set_col_bnds(m_problem.get(), column, GLP_LO, 0, 0);
    return column;
  }

  // A yes or no for each choice; one of each unit.
  void addChoices() {
    for (const auto& unit : m_program.units) {
      m_first.push_back(glp_get_num_cols(m_problem.get()) + 1);
      Row one;
      for (std::size_t choice = 0; choice < unit.size(); ++choice) one.add(addColumn(GLP_BV), 1);
      one.take(m_problem.get(), GLP_FX, 1, 1);
    }
  }

  // The largest sum over outputs, in units of what it can be at most.
  void addNoise(std::optional<double> limit) {
    double scale = 0;
    for (const auto& unit : m_program.units) {
      double most = 0;
      for (const ProgramChoice& choice : unit) {
        for (const double noise : choice.noise) most = std::max(most, noise);
      }
      scale += most;
    }
    if (limit) scale = *limit;
    if (scale <= 0) scale = 1;
    m_noiseScale = scale;
    const int largest = addColumn(GLP_CV);
    if (limit) {
      const int kind = *limit > 0 ? GLP_DB : GLP_FX;
      glp_set_col_bnds(m_problem.get(), largest, kind, 0, *limit / scale);
    } else {
      glp_set_obj_coef(m_problem.get(), largest, 1);
    }
    for (std::size_t output = 0; output < outputsOf(m_program); ++output) {
      Row row;
      row.add(largest, -1);
      for (std::size_t unit = 0; unit < m_program.units.size(); ++unit) {
        for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
          const std::vector<double>& noise = m_program.units[unit][choice].noise;
          if (output < noise.size()) row.add(column(unit, choice), noise[output] / scale);
        }
      }
      row.take(m_problem.get(), GLP_UP, 0, 0);
    }
  }

  void addEffort() {
    double most = 0;
    for (const auto& unit : m_program.units) {
      most += std::ranges::max(unit, {}, &ProgramChoice::effort).effort;
    }
    for (std::size_t unit = 0; most > 0 && unit < m_program.units.size(); ++unit) {
      for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
        glp_set_obj_coef(m_problem.get(), column(unit, choice),
                         m_program.units[unit][choice].effort / most);
      }
    }
  }

  void addBudget(double budget) {
    Row row;
    const double scale = std::max(budget, 1.0);
    for (std::size_t unit = 0; unit < m_program.units.size(); ++unit) {
      for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
        row.add(column(unit, choice), m_program.units[unit][choice].cost / scale);
      }
    }
    for (const ProgramBorder& border : m_program.borders) {
      row.add(addConversion(border), border.cost / scale);
    }
    row.take(m_problem.get(), GLP_UP, 0, budget / scale);
  }

  void addShares() {
    if (std::isinf(m_program.mostShare)) return;
    Row row;
    for (std::size_t unit = 0; unit < m_program.units.size(); ++unit) {
      for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
        row.add(column(unit, choice), m_program.units[unit][choice].share);
      }
    }
    row.take(m_problem.get(), GLP_UP, 0, m_program.mostShare);
  }

  // At least 1 where one side is of a kind that the other is not.
  int addConversion(const ProgramBorder& border) {
    const int conversion = addColumn(GLP_CV);
    std::set<int> kinds = kindsOf(m_program, border.first);
    kinds.merge(kindsOf(m_program, border.second));
    for (const int kind : kinds) {
      Row row;
      row.add(conversion, -1);
      addKind(row, border.first, kind, 1);
      addKind(row, border.second, kind, -1);
      row.take(m_problem.get(), GLP_UP, 0, 0);
    }
    return conversion;
  }

  void addKind(Row& row, std::size_t unit, int kind, double factor) const {
    for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
      if (m_program.units[unit][choice].kind == kind) row.add(column(unit, choice), factor);
    }
  }

  // A yes or no for each kind that the units of one grid may be of; one of these.
  void addAgreement() {
    for (const std::vector<std::size_t>& units : m_program.together) {
      std::set<int> kinds;
      for (const std::size_t unit : units) kinds.merge(kindsOf(m_program, unit));
      Row one;
      for (const int kind : kinds) {
        if (kind < 0) continue;
        const int allowed = addColumn(GLP_BV);
        one.add(allowed, 1);
        for (const std::size_t unit : units) {
          Row row;
          addKind(row, unit, kind, 1);
          row.add(allowed, -1);
          row.take(m_problem.get(), GLP_UP, 0, 0);
        }
      }
      one.take(m_problem.get(), GLP_UP, 0, 1);
    }
  }

  void addLikeness() {
    for (const std::vector<std::size_t>& units : m_program.alike) {
      std::set<int> forms;
      for (const std::size_t unit : units) {
        for (const ProgramChoice& choice : m_program.units[unit]) forms.insert(choice.form);
      }
      for (const int form : forms) {
        for (std::size_t i = 1; i < units.size(); ++i) {
          Row row;
          addForm(row, units.front(), form, 1);
          addForm(row, units[i], form, -1);
          row.take(m_problem.get(), GLP_FX, 0, 0);
        }
      }
    }
  }

  void addForm(Row& row, std::size_t unit, int form, double factor) const {
    for (std::size_t choice = 0; choice < m_program.units[unit].size(); ++choice) {
      if (m_program.units[unit][choice].form == form) row.add(column(unit, choice), factor);
    }
  }

  void addExclusions() {
    for (const auto& excluded : m_program.excluded) {
      Row row;
      for (const auto& [unit, choice] : excluded) row.add(column(unit, choice), 1);
      row.take(m_problem.get(), GLP_UP, 0, static_cast<double>(excluded.size()) - 1);
    }
  }

  const IntegerProgram& m_program;
  std::unique_ptr<glp_prob, DeleteProblem> m_problem;
  std::vector<int> m_first;  // by unit: the column of its first choice
  double m_noiseScale = 1;   // noise where the objective is 1
};

Reduced::Outcome Reduced::solve(double budget, std::optional<double> noiseLimit,
                                const SolverLimits& limits, double known) const {
  const auto isEmpty = [](const auto& unit) { return unit.empty(); };
  if (std::ranges::any_of(program.units, isEmpty)) return {};
  const std::lock_guard lock(solverMutex());
  Outcome outcome = Formulation(program, budget, noiseLimit).solve(limits, known);
  for (std::size_t unit = 0; outcome.solution && unit < outcome.solution->size(); ++unit) {
    std::size_t& choice = (*outcome.solution)[unit];
    choice = places[unit][choice];
  }
  return outcome;
}

bool fits(const IntegerProgram& program, const ProgramSolution& solution, double budget) {
  return isPossible(program, solution) && costOf(program, solution) <= budget * kRounding;
}

}  // namespace

std::optional<SolvedProgram> leastNoise(const IntegerProgram& program, double budget,
                                        const SolverLimits& limits) {
  if (program.units.empty()) return SolvedProgram{{}, 0};
  if (leastCost(program) > budget) return std::nullopt;
  std::optional<ProgramSolution> best = greedyChoice(program, budget);
  double bound = -std::numeric_limits<double>::infinity();
  // A choice that is noisier than a known solution is in no better one. Leaving such choices out
  // keeps the numbers of similar size, as the solver's tolerances need.
  for (int round = 0; round < kRounds; ++round) {
    const double known = best ? noiseOf(program, *best) : std::numeric_limits<double>::infinity();
    const Reduced::Outcome found =
        Reduced(program, known).solve(budget, std::nullopt, limits, known);
    bound = std::max(bound, std::min(found.bound, known));
    if (!found.solution || !fits(program, *found.solution, budget)) break;
    const double noise = noiseOf(program, *found.solution);
    if (noise < known) best = found.solution;
    if (noise > known / 2) break;
  }
  if (!best) return std::nullopt;
  const double noise = noiseOf(program, *best);
  const double gap = noise > 0 ? std::clamp((noise - bound) / noise, 0.0, 1.0) : 0;
  return SolvedProgram{*std::move(best), gap};
}

ProgramSolution leastEffort(const IntegerProgram& program, double budget, double noise,
                            const ProgramSolution& start, const SolverLimits& limits) {
  if (program.units.empty()) return start;
  const std::optional<ProgramSolution> found =
      Reduced(program, noise).solve(budget, noise, limits).solution;
  const bool better = found && fits(program, *found, budget) &&
                      noiseOf(program, *found) <= noise * (1 + kNoiseTolerance) &&
                      effortOf(program, *found) < effortOf(program, start);
  return better ? *found : start;
}

double costOf(const IntegerProgram& program, const ProgramSolution& solution) {
  double cost = 0;
  const auto choice = [&](std::size_t unit) -> const ProgramChoice& {
    return program.units[unit][solution[unit]];
  };
  for (std::size_t unit = 0; unit < solution.size(); ++unit) cost += choice(unit).cost;
  for (const ProgramBorder& border : program.borders) {
    if (choice(border.first).kind != choice(border.second).kind) cost += border.cost;
  }
  return cost;
}

double noiseOf(const IntegerProgram& program, const ProgramSolution& solution) {
  double largest = 0;
  for (std::size_t output = 0; output < outputsOf(program); ++output) {
    double sum = 0;
    for (std::size_t unit = 0; unit < solution.size(); ++unit) {
      const std::vector<double>& noise = program.units[unit][solution[unit]].noise;
      if (output < noise.size()) sum += noise[output];
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

double effortOf(const IntegerProgram& program, const ProgramSolution& solution) {
  double effort = 0;
  for (std::size_t unit = 0; unit < solution.size(); ++unit) {
    effort += program.units[unit][solution[unit]].effort;
  }
  return effort;
}

bool isPossible(const IntegerProgram& program, const ProgramSolution& solution) {
  double share = 0;
  for (std::size_t unit = 0; unit < solution.size(); ++unit) {
    share += program.units[unit][solution[unit]].share;
  }
  if (share > program.mostShare * kRounding) return false;
  const bool agree = std::ranges::all_of(program.together, [&](const auto& units) {
    std::set<int> kinds;
    for (const std::size_t unit : units) {
      const int kind = program.units[unit][solution[unit]].kind;
      if (kind >= 0) kinds.insert(kind);
    }
    return kinds.size() <= 1;
  });
  const bool alike = std::ranges::all_of(program.alike, [&](const auto& units) {
    std::set<int> forms;
    for (const std::size_t unit : units) forms.insert(program.units[unit][solution[unit]].form);
    return forms.size() <= 1;
  });
  return agree && alike && std::ranges::none_of(program.excluded, [&](const auto& excluded) {
           return std::ranges::all_of(
               excluded, [&](const auto& pair) { return solution[pair.first] == pair.second; });
         });
}

double leastCost(const IntegerProgram& program) {
  double cost = 0;
  for (const auto& unit : program.units) {
    cost += std::ranges::min(unit, {}, &ProgramChoice::cost).cost;
  }
  return cost;
}

}  // namespace quantscope

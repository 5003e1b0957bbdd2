#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace quantscope {

/// One of the choices for a unit.
struct ProgramChoice {
  double cost = 0;
  double share = 0;  ///< of a second budget
  /// The noise that it adds to each output, in parts of the signal's power.
  std::vector<double> noise;
  int kind = 0;       ///< units that stand on one grid are of one kind; below 0 fits all
  int form = 0;       ///< units that are alike are of one form
  double effort = 0;  ///< counts among solutions that are as good otherwise
};

/// A chain of units whose choices of different kinds need a conversion between them.
struct ProgramBorder {
  std::size_t first = 0;  ///< units
  std::size_t second = 0;
  double cost = 0;  ///< of a conversion
};

/// A choice for each unit: a layer, or whatever is decided as one.
struct IntegerProgram {
  std::vector<std::vector<ProgramChoice>> units;
  std::vector<ProgramBorder> borders;
  double mostShare = std::numeric_limits<double>::infinity();  ///< of the sum of shares
  /// Units that stand on one grid: all that are of a kind ≥ 0 must be of the same one.
  std::vector<std::vector<std::size_t>> together;
  /// Units that are decided as one: all must be of the same form.
  std::vector<std::vector<std::size_t>> alike;
  /// Combinations that have turned out to be impossible, as (unit, choice).
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> excluded;
};

/// By unit: the index of its choice.
using ProgramSolution = std::vector<std::size_t>;

/// A solution, and how far it may be from the best.
struct SolvedProgram {
  ProgramSolution solution;
  /// (noise − a bound that no solution is below) / noise, 0 … 1; 0 = nothing is better.
  double gap = 1;
};

struct SolverLimits {
  double relativeGap = 0.005;  ///< to the best that is possible
  /// Limit of the solver's tree: a time limit would make the result depend on the machine.
  int subproblems = 1500;
  std::function<bool()> cancelled = {};  ///< asked now and then
};

/// The choices with the least noise at the output where it is largest,
/// and a cost of at most `budget`. None where no choice costs as little. Solved with GLPK, whose
/// bounds of open branches give the gap.
std::optional<SolvedProgram> leastNoise(const IntegerProgram& program, double budget,
                                        const SolverLimits& limits = {});

/// The solution with the least effort among those with at most that noise at every output and at
/// most that cost. `start` is one of them, and is returned if no better one is found in time.
ProgramSolution leastEffort(const IntegerProgram& program, double budget, double noise,
                            const ProgramSolution& start, const SolverLimits& limits = {});

/// Cost of a solution, conversions included.
double costOf(const IntegerProgram& program, const ProgramSolution& solution);
/// The largest sum of its noise over outputs.
double noiseOf(const IntegerProgram& program, const ProgramSolution& solution);
double effortOf(const IntegerProgram& program, const ProgramSolution& solution);
/// True where units that stand on one grid and units that are alike agree, nothing excluded is in
/// it, and the second budget holds.
bool isPossible(const IntegerProgram& program, const ProgramSolution& solution);
/// The least cost of any solution, ignoring conversions and grids: no solution costs less.
double leastCost(const IntegerProgram& program);

}  // namespace quantscope

#pragma once

#include <optional>
#include <vector>

#include "search/measured/integer_program.h"
#include "search/measured/search_space.h"
#include "search/trial_runs.h"

namespace quantscope {

/// By layer of a search space and by option: the noise that it adds to each output, in parts of the
/// signal's power.
using AddedNoise = std::vector<std::vector<std::vector<double>>>;

/// The effect of each option in a network that is otherwise in float.
struct AloneErrors {
  AddedNoise noise;
  std::vector<std::vector<std::optional<double>>> drop;  ///< see dropOf()
};

AloneErrors measureAlone(const SearchSpace& space, const Configuration& start, TrialRuns& runs);

/// The noise of each option around a configuration that has the option `center` for each layer. An
/// option that is not possible there alone counts as in `alone`.
AddedNoise measureAround(const SearchSpace& space, const Configuration& start,
                         const std::vector<std::size_t>& center, const Trial& trial,
                         const AloneErrors& alone, TrialRuns& runs);

enum class ProgramCost : std::uint8_t { Bits, Bytes, Time };

/// What an option of a layer costs: of weights that layers share its part.
double costOf(const SearchLayer& layer, const LayerOption& option, ProgramCost cost);

/// The integer program that takes errors as additive. Borders cost time only. The second budget is
/// that of multiply-accumulates above 8 bits, without a limit.
IntegerProgram programOf(const SearchSpace& space, const AddedNoise& noise, ProgramCost cost);

/// Options by layer, and how far their noise may be from the least; see SolvedProgram.
struct Proposal {
  std::vector<std::size_t> options;
  double gap = 0;
};

/// The options with the least noise within the budget, without wide types of no noticeable effect
/// (0.2 dB, not counted by the gap); nullopt if nothing fits the budget. Throws Cancelled.
std::optional<Proposal> propose(const IntegerProgram& program, double budget,
                                const JobContext& job);

/// The options of the least cost, conversions between layers left out; nullopt if none is possible.
/// Throws Cancelled.
std::optional<std::vector<std::size_t>> cheapestOptions(IntegerProgram program,
                                                        const JobContext& job);

}  // namespace quantscope

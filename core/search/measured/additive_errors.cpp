#include "search/measured/additive_errors.h"

#include <algorithm>

namespace quantscope {
namespace {

// Noise that is given up for fewer wide types: 0.2 dB.
constexpr double kUnnoticed = 1.047;

using OptionPlace = std::pair<std::size_t, std::size_t>;  // (layer, option)

bool haveCommonType(const SearchSpace& space, const std::vector<std::size_t>& layers) {
  return std::ranges::any_of(space.layers[layers.front()].options, [&](const LayerOption& option) {
    return std::ranges::all_of(layers, [&](std::size_t layer) {
      return std::ranges::find(space.layers[layer].options, option.type, &LayerOption::type) !=
             space.layers[layer].options.end();
    });
  });
}

}  // namespace

double costOf(const SearchLayer& layer, const LayerOption& option, ProgramCost cost) {
  switch (cost) {
    case ProgramCost::Bits:
      return option.bits / static_cast<double>(layer.readers);
    case ProgramCost::Bytes:
      return option.bytes / static_cast<double>(layer.readers);
    case ProgramCost::Time:
      return option.time;
  }
  return 0;
}

AloneErrors measureAlone(const SearchSpace& space, const Configuration& start, TrialRuns& runs) {
  std::vector<QuantizationChanges> changes;
  std::vector<OptionPlace> places;
  AloneErrors errors;
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    const SearchLayer& layer = space.layers[i];
    errors.noise.emplace_back(layer.options.size());
    errors.drop.emplace_back(layer.options.size());
    for (std::size_t option = 0; option < layer.options.size(); ++option) {
      const std::shared_ptr<const QuantizedModel> model =
          runs.quantize(withLayerAlone(start, layer, layer.options[option]));
      if (model == nullptr) continue;
      changes.push_back(changesBetween(runs.reference().applied, model->applied));
      places.emplace_back(i, option);
    }
  }
  const auto outputs = runs.runChanges(runs.reference(), changes, "Each layer in each type");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [layer, option] = places[i];
    for (const OutputResult& output : outputs[i]) {
      errors.noise[layer][option].push_back(noisePower(output).value_or(0));
    }
    errors.drop[layer][option] = dropOf(outputs[i]);
  }
  return errors;
}

AddedNoise measureAround(const SearchSpace& space, const Configuration& start,
                         const std::vector<std::size_t>& center, const Trial& trial,
                         const AloneErrors& alone, TrialRuns& runs) {
  const auto layers = static_cast<double>(space.layers.size());
  std::vector<double> whole;  // by output
  for (const OutputResult& output : trial.used) whole.push_back(noisePower(output).value_or(0));
  AddedNoise noise = alone.noise;
  std::vector<QuantizationChanges> changes;
  std::vector<OptionPlace> places;
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    for (std::size_t option = 0; option < noise[i].size(); ++option) {
      std::vector<std::size_t> changed = center;
      changed[i] = option;
      const std::shared_ptr<const QuantizedModel> model =
          runs.quantize(editOf(space, changed, {}).apply(start));
      if (model == nullptr) continue;
      changes.push_back(changesBetween(trial.model->applied, model->applied));
      places.emplace_back(i, option);
    }
  }
  const auto outputs = runs.runChanges(*trial.model, changes, "Around the best so far");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [layer, option] = places[i];
    std::vector<double>& own = noise[layer][option];
    own.clear();
    // The noise of the whole is shared out evenly, so that the center's sum is the whole.
    for (std::size_t output = 0; output < outputs[i].size(); ++output) {
      const double changed = noisePower(outputs[i][output]).value_or(0);
      own.push_back(whole[output] / layers + changed - whole[output]);
    }
  }
  return noise;
}

IntegerProgram programOf(const SearchSpace& space, const AddedNoise& noise, ProgramCost cost) {
  IntegerProgram program;
  program.together = space.together;
  for (const std::vector<std::size_t>& readers : space.alike) {
    if (haveCommonType(space, readers)) program.alike.push_back(readers);
  }
  for (const LayerBorder& border : space.borders) {
    if (cost == ProgramCost::Time) {
      program.borders.push_back({border.first, border.second, border.time});
    }
  }
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    auto& unit = program.units.emplace_back();
    for (std::size_t option = 0; option < space.layers[i].options.size(); ++option) {
      const LayerOption& each = space.layers[i].options[option];
      unit.push_back({.cost = costOf(space.layers[i], each, cost),
                      .share = each.macsAbove8Bits,
                      .noise = noise[i][option],
                      .kind = kindOf(each),
                      .form = static_cast<int>(each.type),
                      .effort = each.work});
    }
  }
  return program;
}

std::optional<Proposal> propose(const IntegerProgram& program, double budget,
                                const JobContext& job) {
  const SolverLimits limits{.cancelled = [&job] { return job.cancelled(); }};
  const std::optional<SolvedProgram> least = leastNoise(program, budget, limits);
  job.throwIfCancelled();
  if (!least) return std::nullopt;
  const double noise = kUnnoticed * noiseOf(program, least->solution);
  return Proposal{leastEffort(program, budget, noise, least->solution, limits), least->gap};
}

std::optional<std::vector<std::size_t>> cheapestOptions(IntegerProgram program,
                                                        const JobContext& job) {
  program.borders.clear();
  double most = 0;
  for (std::vector<ProgramChoice>& unit : program.units) {
    most += std::ranges::max(unit, {}, &ProgramChoice::cost).cost;
    for (ProgramChoice& choice : unit) choice.noise = {choice.cost};
  }
  const SolverLimits limits{.cancelled = [&job] { return job.cancelled(); }};
  std::optional<SolvedProgram> least = leastNoise(program, most, limits);
  job.throwIfCancelled();
  if (!least) return std::nullopt;
  return std::move(least->solution);
}

}  // namespace quantscope

#include "repair_steps.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

namespace quantscope::cli {

std::string recipeStepNames() {
  std::string names;
  for (const RepairStep& step : allRecipeSteps(nullptr)) {
    names += (names.empty() ? "" : ", ") + std::string(step.name);
  }
  return names;
}

std::vector<RepairStep> readRecipeSteps(const std::string& text, std::shared_ptr<TrainingRun> run) {
  std::vector<RepairStep> steps = allRecipeSteps(std::move(run));
  const auto isNamed = [](const std::string& name) {
    return [&name](const RepairStep& step) { return step.name == name; };
  };
  std::set<std::string> wanted;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string name = CLI::detail::trim_copy(text.substr(first, comma - first));
    first = comma + 1;
    if (name == "auto") {
      for (const RepairStep& step : recipeSteps()) wanted.insert(step.name);
    } else if (std::ranges::any_of(steps, isNamed(name))) {
      wanted.insert(name);
    } else {
      throw CLI::ValidationError("--steps",
                                 "'" + name + "' is no step; there are auto, " + recipeStepNames());
    }
  }
  std::erase_if(steps, [&](const RepairStep& step) { return !wanted.contains(step.name); });
  return steps;
}

std::string measureAgainWords(const std::string& model, const std::string& out) {
  const std::filesystem::path folder(out);
  return "measure:  analyze " + (folder / "model.onnx").string() + " --config " +
         (folder / "config.json").string() + " --against " + model + " …\n";
}

}  // namespace quantscope::cli

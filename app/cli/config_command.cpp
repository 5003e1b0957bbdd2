#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "data_options.h"
#include "precision/config/config_diff.h"

namespace quantscope::cli {
namespace {

struct DiffOptions {
  std::string before;
  std::string after;
};

std::string diffConfigs(const DiffOptions& options, const std::optional<std::string>& target) {
  const std::vector<std::string> changes =
      describeChanges(readConfiguration(options.before), readConfiguration(options.after));
  if (target) return deliverJson({{"changes", changes}}, *target);
  if (changes.empty()) return "both say the same\n";
  std::string text;
  for (const std::string& change : changes) text += change + "\n";
  return text;
}

void addDiff(CLI::App& group, Selection& selection) {
  CLI::App* command =
      group.add_subcommand("diff", "Describe the differences of two configurations");
  auto options = std::make_shared<DiffOptions>();
  command->add_option("BEFORE", options->before, "Precision configuration (JSON)")
      ->required()
      ->type_name("");
  command->add_option("AFTER", options->after, "Precision configuration (JSON)")
      ->required()
      ->type_name("");
  bindCommand(*command, selection, [&selection, options](JobContext&) {
    return diffConfigs(*options, selection.common.json);
  });
}

}  // namespace

void addConfig(CLI::App& app, Selection& selection) {
  CLI::App* group = app.add_subcommand("config", "Compare precision configurations");
  group->require_subcommand(1);
  addDiff(*group, selection);
}

}  // namespace quantscope::cli

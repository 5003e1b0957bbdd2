#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "base/ranks.h"
#include "data_options.h"
#include "export/json/optimized_config_json.h"
#include "jobs/computation_origin.h"
#include "jobs/sensitivity/run_search.h"
#include "jobs/sensitivity/time_layers.h"
#include "open_data.h"
#include "search/profiles/optimize_by_profiles.h"
#include "sensitivity_options.h"

namespace quantscope::cli {
namespace {

struct OptimizeOptions {
  std::string model;
  DataOptions data;
  std::optional<Criteria> criteria;
  std::optional<std::filesystem::path> strategy;
  std::optional<std::filesystem::path> profiles;
  std::optional<SearchGoal> goal;
  SearchRequest request;
  std::optional<std::filesystem::path> costs;
  std::string out;
};

// Microseconds in a millisecond.
constexpr double kMicroseconds = 1000;

std::optional<double> positiveNumber(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  const bool whole = failure == std::errc() && rest == end && number >= 0 && number < 1e300;
  return whole ? std::optional(number) : std::nullopt;
}

SearchGoal readBudget(const std::string& text) {
  using Kind = SearchGoal::Kind;
  static const std::map<std::string, Kind> kinds{{"bits", Kind::Bits},
                                                 {"bytes", Kind::Bytes},
                                                 {"speedup", Kind::Speedup},
                                                 {"time", Kind::Time}};
  const std::size_t equals = text.find('=');
  const auto kind = kinds.find(text.substr(0, equals));
  if (equals == std::string::npos || kind == kinds.end()) {
    throw CLI::ValidationError(
        "--budget",
        "'" + text + "' is none of bits=B, bytes=N, speedup=X and time=MS, such as bits=6");
  }
  const std::string number = text.substr(equals + 1);
  const std::optional<double> limit = positiveNumber(number);
  if (!limit || *limit <= 0) {
    throw CLI::ValidationError(
        "--budget", "'" + number + "' in '" + text + "' is no number above 0 and below 1e300");
  }
  return {kind->second, kind->second == Kind::Time ? *limit * kMicroseconds : *limit};
}

std::string byProfiles(const OptimizeOptions& options, OptimizedConfig& optimized,
                       JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const auto profiles = options.profiles ? readProfiles(*options.profiles) : shippedProfiles();
  const Strategy strategy = options.strategy ? readStrategy(*options.strategy) : Strategy();
  optimized = optimizeByProfiles(*model.engine, *profiles, *options.criteria, strategy);
  std::map<std::string, std::size_t> counts;
  for (const ChoiceReason& reason : optimized.why) ++counts[reason.scheme];
  std::ostringstream text;
  text << "by profiles, without data:";
  const char* separator = " ";
  for (const auto& [scheme, count] : counts) {
    text << std::exchange(separator, ", ") << count << " in " << scheme;
  }
  text << "\n";
  return text.str();
}

std::string pointText(const ParetoPoint& point) {
  std::string text =
      fixedNumber(point.bits, 2) + " bits  " + fixedNumber(point.bytes, 0) + " bytes";
  if (point.sqnrDb) text += "  " + decibelText(*point.sqnrDb);
  if (point.drop) text += "  drop " + fixedNumber(*point.drop, 4);
  if (point.microseconds) {
    text += "  " + fixedNumber(*point.microseconds / kMicroseconds, 3) + " ms";
  }
  if (point.speedup) text += "  speedup " + fixedNumber(*point.speedup, 2);
  return text;
}

// The table that is given, else for goals of time one that is measured now.
std::shared_ptr<const CostTable> costsFor(const OptimizeOptions& options, const LoadedModel& model,
                                          const Configuration& start, SampleSet& samples,
                                          Ranks* ranks, std::vector<std::string>& notices,
                                          JobContext& job) {
  using Kind = SearchGoal::Kind;
  const bool needed = options.goal->kind == Kind::Time || options.goal->kind == Kind::Speedup;
  if (!options.costs && !needed) return nullptr;
  if (!options.costs && ranks != nullptr) {
    // No two measurements are the same: all ranks go by one.
    const auto time = [&](std::span<const std::size_t>) {
      return std::vector<std::string>{toJson(timeLayers(model, start, samples, job)).dump()};
    };
    const std::string table =
        ranks->share({0}, time, {}, [&job] { return job.cancelled(); }).front();
    return std::make_shared<const CostTable>(parseCostTable(table, "the measured times"));
  }
  if (!options.costs) {
    return std::make_shared<const CostTable>(timeLayers(model, start, samples, job));
  }
  return std::make_shared<const CostTable>(
      openCostTable(*options.costs, model, start, notices, job));
}

std::string byMeasuring(const OptimizeOptions& options, Selection& selection,
                        OptimizedConfig& optimized, JobContext& job) {
  Ranks* const ranks = selection.ranks.get();
  const LoadedModel model = loadModel(options.model, job);
  const Configuration start = openConfig(options.data, model);
  const OpenedData opened = openAllData(options.data, *model.graph, job);
  AnalysisMemory memory(budgetOf(job));
  SearchRequest request = options.request;
  request.goal = *options.goal;
  request.named = !request.types.empty();
  if (request.types.empty()) request.types = searchTypes();
  request.costs = costsFor(options, model, start, *opened.data, ranks, selection.notices, job);
  request.ranks = ranks;
  request.origin = figuresOrigin();
  request.stop = endingEarly(selection);
  optimized = runSearch(model, start, *opened.data, *opened.calibration, opened.labels, request,
                        options.data.batch, memory, job);
  opened.requireUnchanged();
  selection.notices.insert(selection.notices.end(), optimized.notices.begin(),
                           optimized.notices.end());
  std::ostringstream text;
  if (optimized.synthetic) text << "measured on SYNTHETIC samples\n";
  text << "start     " << pointText(optimized.start) << "\nchosen    "
       << pointText(optimized.chosen) << "\nfront     " << counted(optimized.pareto.size(), "point")
       << "\ngap       " << fixedNumber(100 * optimized.gap.value_or(0), 2)
       << " % at most, by which a proposal of the integer program may miss its best one\n";
  return text.str();
}

// Profiles need no data, measuring does.
void requireOneWay(const CLI::App& command) {
  const auto given = [&](const char* option) { return command.count(option) > 0; };
  std::vector<std::string> ways;
  for (const char* way : {"--criteria", "--budget", "--max-drop"}) {
    if (given(way)) ways.emplace_back(way);
  }
  if (ways.empty()) {
    throw CLI::ValidationError("optimize", "one of --criteria, --budget and --max-drop is needed");
  }
  if (ways.size() > 1) {
    throw CLI::ValidationError(ways[1], "not together with " + ways[0] +
                                            ": only one of --criteria, --budget and --max-drop "
                                            "may be given");
  }
  if (!given("--criteria")) {
    if (!given("--data")) throw CLI::RequiredError("--data");
    for (const char* option : {"--strategy", "--profiles"}) {
      if (given(option)) {
        throw CLI::ValidationError(option, "is about profiles, and goes with --criteria");
      }
    }
    return;
  }
  for (const char* option : {"--data", "--calibration", "--config", "--types", "--labels", "--cost",
                             "--samples", "--seed", "--batch", "--preprocess"}) {
    if (given(option)) {
      throw CLI::ValidationError(option, "is for measuring, and does not go with --criteria");
    }
  }
}

}  // namespace

void addOptimize(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "optimize", "Search a type for every layer, by profiles or by measuring on samples");
  auto options = std::make_shared<OptimizeOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  command->get_option("--data")->required(false);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "a drop is one of accuracy");
  command
      ->add_option_function<std::string>(
          "--criteria",
          [options](const std::string& text) {
            try {
              options->criteria = parseCriteria(text);
            } catch (const Error& error) {
              throw CLI::ValidationError("--criteria", error.what());
            }
          },
          "By profiles, without data: performance, balanced, accuracy or custom:LOSS:SPEEDUP")
      ->type_name("WHAT");
  command
      ->add_option("--strategy", options->strategy, "Weights and priorities of --criteria (JSON)")
      ->type_name("FILE");
  command
      ->add_option("--profiles", options->profiles,
                   "Profiles of operators for --criteria (JSON; default: those of the program)")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--budget", [options](const std::string& text) { options->goal = readBudget(text); },
          "Least error with at most bits=B (mean over all weights), bytes=N (of constants) or "
          "time=MS (for one sample), or at least speedup=X (against float)")
      ->type_name("BUDGET");
  command
      ->add_option("--cost", options->costs,
                   "Times of layers and conversions (JSON of 'bench layers'; default: measured now "
                   "where the budget is one of time)")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--max-drop",
          [options](const std::string& text) {
            const std::optional<double> drop = positiveNumber(text);
            if (!drop || *drop > 1) {
              throw CLI::ValidationError("--max-drop", "'" + text + "' is no share from 0 to 1");
            }
            options->goal = SearchGoal{SearchGoal::Kind::MaxDrop, *drop};
          },
          "Fewest bytes with at most this share of accuracy (with --labels) or of top-1 agreement "
          "lost: 0.01 is one point")
      ->type_name("SHARE");
  addTypesOption(*command, options->request.types,
                 "Types to choose from, beside the one that a layer has (default: those of int4, "
                 "int8, int16, fp16 and fp32 that the backend runs)");
  command
      ->add_option("--out", options->out,
                   "The configuration found; Ctrl-C writes the best so far, of several ranks as "
                   "soon as all have ended what they measure")
      ->required()
      ->type_name("FILE");
  command->parse_complete_callback([command, &selection] {
    requireOneWay(*command);
    selection.sharesWork = true;
  });
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    requireFolderOf(options->out);
    OptimizedConfig optimized;
    const std::string text = options->criteria ? byProfiles(*options, optimized, job)
                                               : byMeasuring(*options, selection, optimized, job);
    if (!delivers(selection)) return std::string();
    optimized.config = configurationFor(options->out, std::move(optimized.config));
    const std::string json = optimizedConfigJson(optimized);
    writeFileAtomically(options->out, json);
    if (selection.common.json) return deliverText(json, *selection.common.json);
    return text + "configuration: " + options->out + "\n";
  });
}

}  // namespace quantscope::cli

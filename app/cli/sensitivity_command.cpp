#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

#include "base/files/atomic_file.h"
#include "data_options.h"
#include "jobs/sensitivity/run_sensitivity.h"
#include "open_data.h"
#include "quant/quant_type.h"
#include "sensitivity_options.h"

namespace quantscope::cli {
namespace {

struct SensitivityOptions {
  std::string model;
  DataOptions data;
  SensitivityJob job;
  std::size_t probes = 0;
  std::vector<std::size_t> counts;  // of layers to widen
};

Shard readShard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, shard.number);
  if (first == std::errc() && slash != end && *slash == '/') {
    const auto [rest, second] = std::from_chars(slash + 1, end, shard.count);
    if (second == std::errc() && rest == end && shard.number >= 1 && shard.number <= shard.count) {
      return shard;
    }
  }
  throw CLI::ValidationError("--shard",
                             "'" + text + "' is not I/N with I from 1 to N, such as 2/8");
}

// Rows that are not there cannot be measured: more than any network has.
constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

void readMeasured(const std::string& text, std::size_t& rows) {
  const char* const end = text.data() + text.size();
  if (text == "all") {
    rows = kAllRows;
  } else if (std::from_chars(text.data(), end, rows).ptr != end || text.empty()) {
    throw CLI::ValidationError("--measure", "'" + text + "' is neither a number of rows nor all");
  }
}

void addEstimateOptions(CLI::App& command, SensitivityOptions& options) {
  CLI::Option* estimate =
      command
          .add_option_function<std::string>(
              "--estimate",
              [&options](const std::string&) {
                if (!options.job.estimate) options.job.estimate.emplace();
              },
              "gradients: predict the outputs' SQNR from a few backward passes instead of "
              "measuring it; such rows say \"estimated\"")
          ->check(CLI::IsMember({"gradients"}))
          ->type_name("METHOD");
  addProbesOption(command, options.probes)->needs(estimate);
  command
      .add_option_function<std::string>(
          "--measure",
          [&options](const std::string& text) { readMeasured(text, options.job.measured); },
          "With --estimate: measure so many rows after all, the most sensitive ones, and say how "
          "well the ranks agree; a number or all (default 0)")
      ->needs(estimate)
      ->type_name("ROWS");
}

void addWideningOptions(CLI::App& command, SensitivityOptions& options) {
  CLI::Option* widen =
      command
          .add_option_function<std::string>(
              "--widen",
              [&options](const std::string& text) {
                const std::optional<QuantType> type = quantTypeFromName(text);
                if (!type) {
                  throw CLI::ValidationError("--widen",
                                             "'" + text + "' is none of " + quantTypeNames());
                }
                if (!options.job.widening) options.job.widening.emplace();
                options.job.widening->type = *type;
              },
              "Adds `widening`: the configuration with its k most sensitive layers in this type, "
              "for some k")
          ->type_name("TYPE");
  command
      .add_option("--worst", options.counts,
                  "With --widen: the numbers of layers to measure, separated by commas (default: "
                  "some from 0 to all)")
      ->delimiter(',')
      ->needs(widen)
      ->type_name("K");
}

// A part of the rows does not tell which layers are the most sensitive.
void requireOneShard(SensitivityOptions& options) {
  if (!options.job.widening) return;
  if (options.job.shard) {
    throw CLI::ValidationError("--widen",
                               "not together with --shard, which has a part of the rows");
  }
  if (options.job.estimate) {
    throw CLI::ValidationError("--widen",
                               "not together with --estimate: it asks for measured rows");
  }
  options.job.widening->counts = options.counts;
}

void requireEstimable(const SensitivityOptions& options) {
  if (!options.job.estimate) return;
  const auto refuse = [](const char* option, const char* why) {
    throw CLI::ValidationError("--estimate",
                               std::string("not together with ") + option + ": " + why);
  };
  if (options.job.request.around != SensitivityRequest::Around::Float) {
    refuse("--around config", "gradients are those of the float network");
  }
  if (options.job.resume) refuse("--resume", "an estimate takes a few passes");
  if (launchedRanks() > 1) refuse("several ranks", "an estimate takes a few passes");
  if (options.job.shard && options.job.measured > 0) {
    refuse("--measure and --shard", "a shard does not know which rows of all are the first");
  }
}

std::string measure(const SensitivityOptions& options, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const Configuration config = openConfig(options.data, model);
  const OpenedData opened = openAllData(options.data, *model.graph, job);
  AnalysisMemory memory(budgetOf(job));
  std::string result = runSensitivity(model, config, *opened.data, *opened.calibration,
                                      opened.labels, options.job, memory, job);
  opened.requireUnchanged();
  return result;
}

}  // namespace

void addSensitivity(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "sensitivity", "Measure what each layer in each of some types does to the outputs");
  auto options = std::make_shared<SensitivityOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addSensitivityOptions(*command, options->job.request);
  addEstimateOptions(*command, *options);
  addLabelsOption(*command, options->data, "adds accuracy");
  command
      ->add_option_function<std::string>(
          "--shard", [options](const std::string& text) { options->job.shard = readShard(text); },
          "Only every N-th row, beginning with the I-th; `merge` puts the N results together")
      ->type_name("I/N");
  command
      ->add_option("--resume", options->job.resume,
                   "Keep finished rows in this file, and go on with those in it; without it Ctrl-C "
                   "writes the rows so far as the result, marked \"complete\": false, and ends "
                   "with status 130")
      ->type_name("FILE");
  addWideningOptions(*command, *options);
  command->parse_complete_callback([&selection, options] {
    requireEstimable(*options);
    requireOneShard(*options);
    selection.sharesWork = true;
  });
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    options->job.batch = options->data.batch;
    if (options->job.estimate) {
      options->job.estimate->probes = options->probes;
      options->job.estimate->seed = options->data.seed.value_or(0);
      options->data.drawsFromSeed = true;
    }
    options->job.ranks = selection.ranks.get();
    // Rows of --resume are kept anyway; an estimate takes a few passes.
    if (!options->job.ranks && !options->job.resume && !options->job.estimate) {
      options->job.keepsFinished = [&selection] {
        selection.keepsWhenCancelled = true;
        selection.endsEarly = true;
      };
    }
    options->job.notice = [&selection](const std::string& sentence) {
      selection.notices.push_back(sentence);
    };
    std::string result;
    try {
      result = measure(*options, job);
    } catch (const Cancelled&) {
      const std::optional<std::filesystem::path>& file = options->job.resume;
      if (file && std::filesystem::exists(*file)) {
        selection.keptWork =
            "finished rows are in '" + file->string() + "', with which the same command goes on";
      }
      throw;
    }
    if (!delivers(selection)) return std::string();
    return deliverText(std::move(result), selection.common.json.value_or("-"));
  });
}

void addMerge(CLI::App& app, Selection& selection) {
  CLI::App* command =
      app.add_subcommand("merge", "Put the results of all shards of `sensitivity` together");
  auto files = std::make_shared<std::vector<std::filesystem::path>>();
  command->add_option("FILES", *files, "Results of the shards (JSON)")->required();
  bindCommand(*command, selection, [&selection, files](JobContext& /*job*/) {
    return deliverText(mergeSensitivity(*files), selection.common.json.value_or("-"));
  });
}

}  // namespace quantscope::cli

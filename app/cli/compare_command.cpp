#include <CLI/CLI.hpp>

#include "data_options.h"
#include "jobs/compare_files.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct CompareOptions {
  std::string first;
  std::string second;
  DataOptions data;
  std::optional<std::filesystem::path> matches;
  std::string out;
};

std::string compare(const CompareOptions& options, Selection& selection, JobContext& job) {
  const NamedMatches byHand = options.matches ? readMatches(*options.matches) : NamedMatches();
  const LoadedModel first = loadModel(options.first, job);
  const LoadedModel second = loadModel(options.second, job);
  Labels labels;
  if (options.data.labels) labels = {readLabels(*options.data.labels), *options.data.labels};
  const std::unique_ptr<SampleSource> source =
      openData(options.data, options.data.data, *first.graph);
  OutputFolder out(options.out);
  const ComparisonReport report = compareFiles(first, second, *source, labels, byHand, out, job);
  const std::optional<std::string>& json = selection.common.json;
  return json ? deliverText(report.json, *json) : report.text;
}

}  // namespace

void addCompare(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "compare", "Match the values of two models, and name the layers that are wrong");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("FLOAT", options->first, "ONNX model")->required()->type_name("");
  command
      ->add_option("QUANTIZED", options->second,
                   "The quantized model, made by any tool, or another version of the first")
      ->required()
      ->type_name("");
  addDataOptions(*command, options->data);
  addLabelsOption(*command, options->data, "gives accuracy");
  command
      ->add_option("--matches", options->matches,
                   "Values that match, by hand: a compare.json, or a part of one")
      ->type_name("FILE");
  command->add_option("--out", options->out, "Folder for compare.json")
      ->required()
      ->type_name("FOLDER");
  bindCommand(*command, selection,
              [&selection, options](JobContext& job) { return compare(*options, selection, job); });
}

}  // namespace quantscope::cli

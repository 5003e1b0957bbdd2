#include <CLI/CLI.hpp>

#include "data_options.h"
#include "jobs/analysis/map_errors.h"
#include "open_data.h"
#include "validators.h"

namespace quantscope::cli {
namespace {

// Of samples and channels.
constexpr std::uint64_t kLastPlace = std::uint64_t{1} << 40;

struct ErrorsOptions {
  std::string model;
  DataOptions data;
  MapRequest request;
  std::size_t sample = 0;
  std::size_t channel = 0;
};

std::string map(const ErrorsOptions& options, Selection& selection, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const Configuration config = openConfig(options.data, model);
  const OpenedData opened = openAllData(options.data, *model.graph, job);
  AnalysisMemory memory(budgetOf(job));
  MappedErrors errors =
      mapErrors(model, config, *opened.data, *opened.calibration, options.request, memory, job);
  opened.requireUnchanged();
  selection.notices = std::move(errors.notices);
  return deliverText(std::move(errors.json), selection.common.json.value_or("-"));
}

}  // namespace

void addErrors(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "errors", "Map the error of one layer: channels against samples, and place by place");
  auto options = std::make_shared<ErrorsOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  command->add_option("--layer", options->request.layer, "The layer, by the name of a node")
      ->required()
      ->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--kind",
          [options](const std::string& kind) {
            options->request.kind = kind == "local" ? MapKind::Local : MapKind::Accumulated;
          },
          "accumulated (default): the whole network is quantized; local: the layer alone")
      ->check(CLI::IsMember({"local", "accumulated"}))
      ->type_name("KIND");
  CLI::Option* sample =
      command
          ->add_option("--sample", options->sample, "Place by place too: for this sample, from 0")
          ->check(wholeNumber(0, kLastPlace))
          ->type_name("N");
  command->add_option("--channel", options->channel, "Its channel, from 0 (default: 0)")
      ->check(wholeNumber(0, kLastPlace))
      ->type_name("N")
      ->needs(sample);
  bindCommand(*command, selection, [&selection, options, sample](JobContext& job) {
    options->request.batch = options->data.batch;
    if (sample->count() > 0) options->request.place = {options->sample, options->channel};
    return map(*options, selection, job);
  });
}

}  // namespace quantscope::cli

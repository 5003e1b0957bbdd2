#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "data_options.h"
#include "jobs/import_configuration.h"

namespace quantscope::cli {
namespace {

struct ImportOptions {
  std::string file;
  std::string model;
  std::string out;
};

std::string importAndWrite(const ImportOptions& options, Selection& selection, JobContext& job) {
  requireFolderOf(options.out);
  const LoadedModel model = loadModel(options.model, job);
  const ImportedConfiguration imported = importConfiguration(options.file, model);
  writeFileAtomically(options.out, toJson(configurationFor(options.out, imported.config)));
  selection.notices = imported.notices;
  const std::size_t layers = imported.config.precision->nodes.size();
  if (const std::optional<std::string>& json = selection.common.json) {
    return deliverJson({{"file", options.file},
                        {"configuration", options.out},
                        {"encodings", imported.encodings},
                        {"nodes", layers},
                        {"notices", imported.notices}},
                       *json);
  }
  return options.out + ": " + counted(imported.encodings, "encoding") + ", " +
         counted(layers, "layer") + " with types of their own\n";
}

}  // namespace

void addImport(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "import",
      "Turn what another tool has made (AIMET encodings, a TensorRT cache, a QDQ model) "
      "into a configuration");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("FILE", options->file, "Encodings, cache, QDQ model or configuration")
      ->required()
      ->type_name("");
  command->add_option("--model", options->model, "The float model that it was made for")
      ->required()
      ->type_name("MODEL");
  command->add_option("--out", options->out, "Configuration to write (JSON)")
      ->required()
      ->type_name("FILE");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return importAndWrite(*options, selection, job);
  });
}

}  // namespace quantscope::cli

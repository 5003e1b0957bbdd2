#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/input_file.h"
#include "data_options.h"
#include "jobs/load_model.h"
#include "precision/sharing/annotation_groups.h"

namespace quantscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// Far more than an annotation for each edge of the largest models.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26;

struct GroupsOptions {
  std::string model;
  std::string annotations;
};

Json groupsJson(const std::vector<Annotation>& annotations) {
  Json groups = Json::array();
  for (const AnnotationGroup& group : groupAnnotations(annotations)) {
    Json points = Json::array();
    for (const std::size_t member : group.members) {
      points.push_back(toJson(annotations[member].point));
    }
    groups.push_back(std::move(points));
  }
  return {{"groups", std::move(groups)}};
}

std::string showGroups(const GroupsOptions& options, const CommonOptions& common, JobContext& job) {
  const std::vector<Annotation> annotations =
      parseAnnotations(readFile(options.annotations, kMaxBytes), options.annotations);
  try {
    if (options.model != "-") {
      requireKnownPoints(annotations, *loadModel(options.model, job).graph);
    }
    return deliverJson(groupsJson(annotations), common.json.value_or("-"));
  } catch (const Error& error) {
    throw error.at({.file = options.annotations, .node = {}, .value = {}});
  }
}

}  // namespace

void addGroups(CLI::App& app, Selection& selection) {
  CLI::App* command =
      app.add_subcommand("groups", "Show which annotated edges and outputs share an observer");
  auto options = std::make_shared<GroupsOptions>();
  command
      ->add_option("MODEL", options->model, "ONNX model that the annotations are for, - for none")
      ->required()
      ->type_name("");
  command
      ->add_option("--annotations", options->annotations,
                   "What is asked for at edges and outputs, and what shares with what (JSON)")
      ->required()
      ->type_name("FILE");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return showGroups(*options, selection.common, job);
  });
}

}  // namespace quantscope::cli

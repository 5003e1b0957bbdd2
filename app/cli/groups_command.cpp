#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/input_file.h"
#include "data_options.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/load_model.h"
#include "precision/sharing/annotation_groups.h"
#include "precision/sharing/observer_placement.h"

namespace quantscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// Far more than an annotation for each edge of the largest models.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26;

struct GroupsOptions {
  std::string model;
  std::optional<std::string> annotations;
  std::optional<std::filesystem::path> config;
};

/// Groups of points, and their observers in the same order.
struct GroupLists {
  Json groups = Json::array();
  Json observers = Json::array();

  /// `seats`: where the observer is put in, at least once.
  void add(Json points, Json spec, Json seats) {
    groups.push_back(std::move(points));
    observers.push_back(
        {{"spec", std::move(spec)}, {"seat", seats.front()}, {"seats", std::move(seats)}});
  }
  Json json() && { return {{"groups", std::move(groups)}, {"observers", std::move(observers)}}; }
};

Json groupsJson(const std::vector<Annotation>& annotations) {
  const auto points = [&](const std::vector<std::size_t>& members) {
    Json list = Json::array();
    for (const std::size_t member : members) list.push_back(toJson(annotations[member].point));
    return list;
  };
  GroupLists lists;
  for (const AnnotationGroup& group : groupAnnotations(annotations)) {
    lists.add(points(group.members), {{"dtype", group.spec.dtype}, {"dynamic", group.spec.dynamic}},
              points(group.seats));
  }
  return std::move(lists).json();
}

Json specJson(const TensorPrecision& precision) {
  Json spec{{"dtype", name(precision.type)},
            {"dynamic", precision.dynamic},
            {"symmetric", precision.symmetric},
            {"granularity", toString(precision.granularity)},
            {"observer", toString(precision.observer)}};
  if (precision.range) spec["range"] = {precision.range->low, precision.range->high};
  return spec;
}

Json groupsJson(const Graph& graph, const ObserverGroups& groups) {
  const std::vector<ObserverSeat> seats = placeObservers(groups);
  GroupLists lists;
  for (const std::vector<std::size_t>& members : groups.members) {
    Json points = Json::array();
    Json own = Json::array();
    for (const std::size_t member : members) {
      points.push_back(toJson(pointName(graph, groups.points[member])));
      if (isOwnSeat(seats[member])) own.push_back(points.back());
    }
    lists.add(std::move(points), specJson(groups.points[members.front()].precision),
              std::move(own));
  }
  return std::move(lists).json();
}

Json groupsOfAnnotations(const GroupsOptions& options, JobContext& job) {
  const std::vector<Annotation> annotations =
      parseAnnotations(readFile(*options.annotations, kMaxBytes), *options.annotations);
  try {
    if (options.model != "-") {
      requireKnownPoints(annotations, *loadModel(options.model, job).graph);
    }
    return groupsJson(annotations);
  } catch (const Error& error) {
    throw error.at({.file = *options.annotations, .node = {}, .value = {}});
  }
}

Json groupsOfConfig(const GroupsOptions& options, Selection& selection, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  try {
    AnalysisRequest request;
    request.config = readConfiguration(*options.config);
    const SnapshotPtr structure = describeStructure(request, model, job);
    selection.notices = structure->quantized->notices;
    return groupsJson(*model.graph, structure->quantized->groups);
  } catch (const Error& error) {
    throw error.at({.file = options.config->string(), .node = {}, .value = {}});
  }
}

}  // namespace

void addGroups(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "groups", "Show which edges and outputs share an observer, and where it is");
  auto options = std::make_shared<GroupsOptions>();
  command
      ->add_option("MODEL", options->model, "ONNX model that the annotations are for, - for none")
      ->required()
      ->type_name("");
  CLI::Option* annotations =
      command
          ->add_option(
              "--annotations", options->annotations,
              "Annotations: the specification of each edge and output, and their sharing (JSON)")
          ->type_name("FILE");
  command
      ->add_option("--config", options->config,
                   "Precision configuration to use instead of annotations (JSON)")
      ->type_name("FILE")
      ->excludes(annotations);
  command->parse_complete_callback([options] {
    if (!options->annotations && !options->config) {
      throw CLI::ValidationError("--annotations", "give these, or --config");
    }
    if (options->config && options->model == "-") {
      throw CLI::ValidationError("--config", "give the model that it is for");
    }
  });
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const Json groups = options->config ? groupsOfConfig(*options, selection, job)
                                        : groupsOfAnnotations(*options, job);
    return deliverJson(groups, selection.common.json.value_or("-"));
  });
}

}  // namespace quantscope::cli

// Measures the window as a user meets it: from the start to the first picture, and frame by frame.

#include <QApplication>
#include <QCommandLineParser>
#include <QTemporaryDir>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/gui/window/appearance.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/input_file.h"
#include "base/freed_memory.h"
#include "bench/ui/drag_times.h"
#include "bench/ui/edit_times.h"
#include "bench/ui/generated_model.h"
#include "bench/ui/graph_frames.h"
#include "bench/ui/heatmap_frames.h"
#include "bench/ui/input_latency.h"
#include "bench/ui/linked_frames.h"
#include "bench/ui/measured_application.h"
#include "bench/ui/reopen_time.h"
#include "bench/ui/start_time.h"
#include "bench/ui/threshold_time.h"
#include "support/test_paths.h"

using namespace quantscope;
using namespace quantscope::bench;

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  AnalysisRequest request;
  std::size_t generate = 0;
  std::string json;
};

Options optionsOf(const QApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Measures how fast the window is."));
  parser.addPositionalArgument(QStringLiteral("model"), QStringLiteral("The ONNX model to open"),
                               QStringLiteral("[model]"));
  const QCommandLineOption data(QStringLiteral("data"), QStringLiteral("Its samples"),
                                QStringLiteral("DATA"));
  const QCommandLineOption generate(QStringLiteral("generate"),
                                    QStringLiteral("A made-up model of N nodes instead"),
                                    QStringLiteral("N"));
  const QCommandLineOption json(QStringLiteral("json"),
                                QStringLiteral("Where to write the figures; - = standard output"),
                                QStringLiteral("FILE"));
  const QCommandLineOption samples(QStringLiteral("samples"),
                                   QStringLiteral("At most so many samples of the data"),
                                   QStringLiteral("N"));
  parser.addOptions({data, generate, json, samples});
  parser.addHelpOption();
  parser.process(application);
  Options options;
  options.generate = parser.value(generate).toULong();
  options.json = parser.value(json).toStdString();
  if (!parser.positionalArguments().isEmpty()) {
    options.request.model = parser.positionalArguments().constFirst().toStdString();
  }
  options.request.data = parser.value(data).toStdString();
  if (parser.isSet(samples)) options.request.source.samples = parser.value(samples).toULong();
  if (options.request.model.empty() == (options.generate == 0)) parser.showHelp(2);
  return options;
}

AnalysisRequest bundledSample() {
  const std::string stem = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet";
  AnalysisRequest request;
  request.model = stem + ".onnx";
  request.data = stem + ".npz";
  return request;
}

double measureStart(MainWindow& window) {
  window.session().open(bundledSample());
  window.show();
  waitForGraph(window, 0);
  return millisecondsSinceStart();
}

// What the window is to reach, in milliseconds: of a usual network, and of one of thousands of
// nodes where that is different.
std::optional<double> askedOf(const std::string& figure, std::size_t nodes) {
  struct Asked {
    const char* figure;
    double usual;
    std::optional<double> large;
  };
  constexpr std::size_t kLarge = 5'000;
  constexpr std::size_t kLargest = 50'000;
  const Asked all[] = {
      {"edit_own_error_ms", 30, 200},    {"edit_first_outputs_ms", 60, {}},
      {"edit_all_ms", 350, {}},          {"edit_frame_ms_longest", 32, 32},
      {"undo_redo_ms", 50, 50},          {"swap_ms", 50, 50},
      {"drag_frame_ms_longest", 16, 16}, {"drag_outputs_ms", 150, 150},
      {"threshold_ms_median", 50, 50},   {"reopen_ms", 500, 1000},
      {"linked_frame_ms_p95", 16, 16},   {"input_wait_ms_longest", 50, nodes < kLargest ? 50 : 80},
  };
  for (const Asked& asked : all) {
    if (asked.figure == figure) return nodes < kLarge ? asked.usual : asked.large;
  }
  return std::nullopt;
}

void print(const Json& figures, const std::string& json) {
  constexpr std::size_t kKeyWidth = 24;
  // Figures on standard output are for programs; the table then goes beside it.
  std::ostream& table = json == "-" ? std::cerr : std::cout;
  for (const auto& [key, value] : figures.items()) {
    table << key << std::string(kKeyWidth - std::min(key.size(), kKeyWidth - 1), ' ') << value;
    const auto asked = askedOf(key, figures.at("nodes").get<std::size_t>());
    if (asked) table << " (asked: at most " << *asked << ')';
    table << '\n';
  }
  if (json == "-") {
    std::cout << figures.dump() << '\n';
  } else if (!json.empty()) {
    const std::string words = figures.dump(2) + "\n";
    writeFileAtomically(json, std::as_bytes(std::span(words)));
  }
}

// Without data nothing is analysed: a model alone is only drawn.
Json measureAnalysis(MainWindow& window, const AnalysisRequest& request) {
  std::optional<ThresholdTimes> thresholds;
  std::optional<FrameTimes> input;
  if (!request.data.empty()) {
    thresholds = measureThresholds(window);
    input = measureInputLatency(window, request);
  }
  return {{"input_wait_ms_p95", input ? Json(input->p95) : Json()},
          {"input_wait_ms_longest", input ? Json(input->longest) : Json()},
          {"threshold_ms_median", thresholds ? Json(thresholds->median) : Json()},
          {"threshold_ms_longest", thresholds ? Json(thresholds->longest) : Json()},
          {"find_faults_ms", thresholds ? Json(thresholds->find) : Json()}};
}

// What a user does with a model that has data.
Json measureWork(MainWindow& window, const AnalysisRequest& request) {
  if (request.data.empty()) {
    return {{"edit_own_error_ms", nullptr},
            {"edit_own_error_in_all_ms", nullptr},
            {"edit_first_outputs_ms", nullptr},
            {"edit_all_ms", nullptr},
            {"edit_frame_ms_longest", nullptr},
            {"undo_redo_ms", nullptr},
            {"swap_ms", nullptr},
            {"drag_frame_ms_median", nullptr},
            {"drag_frame_ms_longest", nullptr},
            {"drag_outputs_ms", nullptr},
            {"reopen_ms", nullptr}};
  }
  const EditTimes edits = measureEdits(window);
  const std::optional<DragTimes> drags = measureDrags(window);
  return {{"edit_own_error_ms", edits.ownError},
          {"edit_own_error_in_all_ms", edits.ownErrorInAll},
          {"edit_first_outputs_ms", edits.firstOutputs},
          {"edit_all_ms", edits.all},
          {"edit_frame_ms_longest", edits.longestFrame},
          {"undo_redo_ms", edits.undo},
          {"swap_ms", edits.swap},
          {"drag_frame_ms_median", drags ? Json(drags->frames.median) : Json()},
          {"drag_frame_ms_longest", drags ? Json(drags->frames.longest) : Json()},
          {"drag_outputs_ms", drags && drags->outputs ? Json(*drags->outputs) : Json()},
          {"reopen_ms", measureReopen(window)}};
}

Json measure(Options& options) {
  // A window would show what is wrong with it and wait for another one.
  if (options.generate == 0) InputFile{options.request.model};
  MainWindow window;
  const double start = measureStart(window);
  QTemporaryDir folder;
  if (options.generate > 0) {
    options.request.model = folder.filePath(QStringLiteral("generated.onnx")).toStdString();
    std::ofstream(options.request.model, std::ios::binary) << generatedModel(options.generate);
  }
  const GraphFigures graph = measureGraph(window, options.request);
  Json figures{{"nodes", graph.nodes},
               {"first_paint_ms", graph.firstPaintMs},
               {"expanded_paint_ms", graph.expandedPaintMs},
               {"frame_ms_median", graph.frames.median},
               {"frame_ms_p95", graph.frames.p95},
               {"start_ms", start}};
  const FrameTimes linked = measureLinkedGraphs(window.session().snapshot());
  figures["linked_frame_ms_median"] = linked.median;
  figures["linked_frame_ms_p95"] = linked.p95;
  figures.update(measureAnalysis(window, options.request));
  figures.update(measureWork(window, options.request));
  const FrameTimes heatmap = measureHeatmap();
  figures["heatmap_frame_ms_median"] = heatmap.median;
  figures["heatmap_frame_ms_p95"] = heatmap.p95;
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  keepFreedMemory();
  if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
      qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  // What the person at this machine has set must not count.
  const QTemporaryDir home;
  qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
  qputenv("XDG_DATA_HOME", home.path().toUtf8());
  const MeasuredApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("quantscope-ui-bench"));
  // As the program looks: what is painted is a good part of the times.
  Appearance::instance().apply();
  Appearance::instance().overrideChoice(ThemeChoice::Light);
  try {
    Options options = optionsOf(application);
    print(measure(options), options.json);
    return 0;
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}

#include "project/random_work.h"

#include "precision/edits/edit_precision.h"

namespace quantscope::test {
namespace {

ConfigEdit rangeEdit(const std::string& node, float high) {
  NodePrecision precision = defaultPrecision();
  precision.activation.range = Range{0, high, false};
  return {"drag", {{.place = ConfigStep::Entry::Node, .name = node, .value = precision}}};
}

DecidedRepairs repairsOf(const std::string& node, std::size_t steps) {
  DecidedRepairs repairs{
      .configuration = node, .heldOutDb = static_cast<double>(steps) / 3, .steps = {}};
  for (std::size_t i = 0; i < steps; ++i) {
    repairs.steps.push_back({.step = "equalize",
                             .what = "in both directions",
                             .way = i,
                             .only = {node},
                             .kept = i == 0,
                             .reason = "it passes \"the\" test",
                             .gainFitDb = 0.1 + static_cast<double>(i),
                             .gainHeldOutDb = std::nullopt});
  }
  if (steps > 0) repairs.learned = {{std::make_shared<const std::string>(node + '\0' + "\xFF")}};
  if (steps > 1) {
    repairs.unfinished.bytes = std::make_shared<const std::string>("half of " + node);
    repairs.unfinished.choices.steps = steps;
    repairs.unfinished.choices.frozen = {node};
  }
  return repairs;
}

ChosenData dataOf(const std::string& node, std::size_t kind) {
  ChosenData chosen{.data = "/data/" + node, .calibration = {}, .labels = {}, .settings = {}};
  if (kind > 0) chosen.calibration = "random:8";
  if (kind > 1) chosen.labels = "/data/labels.csv";
  chosen.settings.batch = kind + 1;
  return chosen;
}

}  // namespace

Configuration startOfWork() {
  return parseConfiguration(
      R"({"quantscope": 1, "backend": "qnnpack", "nodes": {"a": "fp32"},
          "encodings": {"w": {"type": "int8", "scale": [0.1]}}})",
      "start");
}

void workOn(Document& document, std::mt19937& random) {
  const std::string node = "layer" + std::to_string(random() % 5);
  switch (random() % 13) {
    case 10:
      document.apply(RepairDecision{"decide on " + node, repairsOf(node, random() % 3)});
      break;
    case 11:
      document.setRepairs(repairsOf(node, random() % 3));
      break;
    case 12:
      document.apply(DataChoice{"use " + node, document.data(), dataOf(node, random() % 3)});
      break;
    case 0:
      document.apply(Dismissal{"outlier/" + node, random() % 3 != 0});
      break;
    case 1:
      document.apply(setBackend(random() % 2 == 0 ? "x86" : "generic"));
      break;
    case 2:
      document.apply(equalize(node, {static_cast<float>(1 + random() % 3)}));
      break;
    case 3:
      document.undo();
      break;
    case 4:
      document.redo();
      break;
    case 5:
      document.keep("name " + std::to_string(random() % 3), document.configuration());
      break;
    case 6:
      document.forget("name " + std::to_string(random() % 3));
      break;
    case 7:
      document.applyContinued(rangeEdit(node, static_cast<float>(1 + random() % 3)));
      break;
    default:
      document.apply(rangeEdit(node, static_cast<float>(1 + random() % 9)));
      break;
  }
}

}  // namespace quantscope::test

#include "jobs/analysis/against_original.h"

#include <algorithm>
#include <span>

#include "analysis/errors/output_errors.h"
#include "analysis/errors/worst_output.h"
#include "analysis/twin_setup.h"
#include "base/error.h"
#include "calibration/feed_loop.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

constexpr const char* kRemedyOfOther = "give the float model that this one was made from";

// The value of the same name; throws where there is none in `among`.
ValueId sameNamed(const Graph& original, std::span<const ValueId> among, const std::string& name,
                  const LoadedModel& model, const char* kind) {
  const ValueId found = original.findValue(name);
  if (std::ranges::find(among, found) != among.end()) return found;
  throw Error(ErrorCode::InvalidParameters,
              std::string("the original model has no ") + kind + " '" + name + "'",
              {.file = model.file.string(), .node = {}, .value = name}, kRemedyOfOther);
}

struct ComparedFeed {
  std::vector<OutputRecord> records;  // by output
  bool anySameShape = false;
};

}  // namespace

SnapshotPtr againstOriginal(const AnalysisSnapshot& analysis, const LoadedModel& original,
                            const Labels& labels, JobContext& job) {
  const Graph& graph = analysis.graph();
  const std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  std::vector<ValueId> references;
  std::vector<OutputErrors> errors;
  for (const ValueId output : outputs) {
    references.push_back(sameNamed(*original.graph, original.graph->outputs(), graph[output].name,
                                   original, "output"));
    errors.emplace_back(*original.graph, references.back(), labels.classes);
  }
  const Plan plan = planForOutputs(*analysis.model.engine);
  const Plan referencePlan = planForOutputs(*original.engine);
  const auto compute = [&](const Feed& feed) {
    auto inputs = feed.inputs;
    for (auto& [value, tensor] : inputs) {
      value = sameNamed(*original.graph, original.graph->inputs(), graph[value].name, original,
                        "input");
    }
    Execution reference(referencePlan, inputs, nullptr, feed.batch);
    reference.run();
    Execution quantized(plan, feed.inputs, &analysis.quantized->applied, feed.batch);
    quantized.run();
    ComparedFeed compared;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Tensor theirs = reference.value(references[i], Layout::Plain);
      const Tensor ours = quantized.value(outputs[i], Layout::Plain);
      compared.anySameShape = compared.anySameShape || theirs.shape() == ours.shape();
      compared.records.push_back(measureOutput(theirs, ours, feed.batch, feed.samples,
                                               comesFromSoftmax(*original.graph, references[i])));
    }
    return compared;
  };
  bool anySameShape = false;
  job.beginStage("Against the original", analysis.data->sampleCount(), "samples");
  forEachFeed(*analysis.data, job, compute, [&](const Feed& feed, const ComparedFeed& compared) {
    anySameShape = anySameShape || compared.anySameShape;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      errors[i].add(compared.records[i], feed.firstSample);
    }
  });
  requireLabelledOutput(errors, labels);
  AnalysisResult result = *analysis.result;
  result.outputs.clear();
  for (const OutputErrors& each : errors) result.outputs.push_back(each.result());
  const bool anyFigure = anySameShape && worstOutput(result.outputs) != nullptr;
  if (!anyFigure && worstOutput(analysis.result->outputs) != nullptr) {
    throw Error(ErrorCode::InvalidParameters,
                "the outputs of the original model have other shapes or types",
                {.file = original.file.string(), .node = {}, .value = {}}, kRemedyOfOther);
  }
  result.ladder.clear();
  const std::string file = original.file.filename().string();
  result.notices.push_back("outputs are compared with those of " + file +
                           ", layers with the float network of the model itself");
  auto compared = std::make_shared<AnalysisSnapshot>(analysis);
  compared->original = file;
  compared->result = std::make_shared<const AnalysisResult>(std::move(result));
  return compared;
}

}  // namespace quantscope

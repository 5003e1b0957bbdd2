#include "jobs/run_model.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "calibration/feed_loop.h"
#include "engine/execution.h"
#include "jobs/value_writer.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {
namespace {

constexpr std::size_t kLongestStem = 100;

// A file name from a value's name: letters, digits, '-', '_' and '.' stay; unique by its number.
std::string stemFor(const std::string& name, std::size_t index) {
  std::string stem;
  for (const char c : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    stem += plain ? c : '_';
  }
  const auto first = stem.find_first_not_of("_.");
  stem = first == std::string::npos ? "value" : stem.substr(first, kLongestStem);
  return std::to_string(index) + "_" + stem;
}

// One sample of a value; where a run takes several at once, its rows of axis 0.
Tensor sampleOf(const Tensor& tensor, const Feed& feed, std::size_t sample) {
  const Shape& shape = tensor.shape();
  if (feed.batch == 1 || shape.empty() || shape[0] != static_cast<std::int64_t>(feed.batch)) {
    return tensor;
  }
  Shape row = shape;
  row[0] = 1;
  Tensor result(tensor.type(), row);
  std::copy_n(tensor.bytes() + sample * result.byteSize(), result.byteSize(),
              result.mutableBytes());
  return result;
}

// Among the samples of a feed, without those that fill up its batch.
std::size_t nonFiniteCount(const Tensor& tensor, const Feed& feed) {
  if (!isFloat(tensor.type())) return 0;
  std::size_t count = 0;
  for (std::size_t sample = 0; sample < feed.samples; ++sample) {
    const Tensor values = sampleOf(tensor, feed, sample);
    if (values.type() == ElementType::Float64) {
      count += static_cast<std::size_t>(std::ranges::count_if(
          values.values<double>(), [](double x) { return !std::isfinite(x); }));
    } else {
      count += minMax(toFloat32(values).values<float>()).nonFinite;
    }
    if (feed.batch == 1) break;
  }
  return count;
}

std::vector<Tensor> valuesOf(const Plan& plan, const Feed& feed, const std::vector<ValueId>& wanted,
                             const AppliedQuantization* quantization, const JobContext& job) {
  Execution execution(plan, feed.inputs, quantization, feed.batch);
  while (!execution.finished()) {
    job.throwIfCancelled();
    execution.step();
  }
  std::vector<Tensor> values;
  for (const ValueId value : wanted) values.push_back(execution.value(value));
  return values;
}

using Writers = std::vector<std::unique_ptr<ValueWriter>>;

void requireSomeComputed(const Plan& plan, const std::vector<ValueId>& wanted) {
  const Engine& engine = plan.engine();
  if (plan.notComputed().size() < wanted.size() || engine.notExecutable().empty()) return;
  const NotExecutable& first = engine.notExecutable().front();
  const Node& node = engine.graph()[first.node];
  throw Error(ErrorCode::UnsupportedOperation,
              "none of the values can be computed, because of " + node.op + ": " + first.reason,
              {.file = {}, .node = node.name, .value = {}},
              "choose values before it with --values");
}

std::vector<WrittenValue> closeWriters(const Graph& graph, const std::vector<ValueId>& wanted,
                                       const Writers& writers) {
  std::vector<WrittenValue> written;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (writers[i]->empty()) continue;
    WrittenValue value;
    value.name = graph[wanted[i]].name;
    value.shape = writers[i]->stackedShape();
    value.dtype = name(writers[i]->type());
    value.files = writers[i]->close();
    written.push_back(std::move(value));
  }
  return written;
}

}  // namespace

nlohmann::ordered_json manifestJson(const std::vector<WrittenValue>& values) {
  nlohmann::ordered_json json;
  auto& list = json["values"] = nlohmann::ordered_json::array();
  for (const WrittenValue& value : values) {
    nlohmann::ordered_json entry{{"name", value.name}};
    if (value.files.size() == 1) entry["file"] = value.files.front();
    if (value.shape.empty()) {
      entry["files"] = value.files;
      entry["shape"] = nullptr;
    } else {
      entry["shape"] = value.shape;
    }
    entry["dtype"] = value.dtype;
    list.push_back(std::move(entry));
  }
  return json;
}

std::vector<ValueId> selectValues(const Graph& graph, const std::string& selection) {
  if (selection == "outputs") return {graph.outputs().begin(), graph.outputs().end()};
  std::vector<ValueId> values;
  if (selection == "all") {
    for (std::size_t i = 0; i < graph.values().size(); ++i) {
      if (graph.values()[i].producer.valid()) values.emplace_back(i);
    }
    return values;
  }
  for (std::size_t first = 0; first <= selection.size();) {
    const std::size_t comma = std::min(selection.find(',', first), selection.size());
    const std::string name = selection.substr(first, comma - first);
    first = comma + 1;
    const ValueId value = graph.findValue(name);
    if (!name.empty() && value.valid()) {
      // What a user names twice is written once.
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
      continue;
    }
    throw Error(ErrorCode::InvalidParameters, "the model has no value '" + name + "'", {},
                "use a name that `inspect --json -` lists");
  }
  return values;
}

RunResult runModel(const LoadedModel& model, SampleSource& source,
                   const std::vector<ValueId>& wanted, const AppliedQuantization* quantization,
                   OutputFolder& out, JobContext& job, const std::function<void()>& beforeWriting) {
  const Graph& graph = *model.graph;
  PlanRequest request{{graph.inputs().begin(), graph.inputs().end()}, wanted, wanted};
  const Plan plan(*model.engine, request);
  requireSomeComputed(plan, wanted);
  Writers writers;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    writers.push_back(std::make_unique<ValueWriter>(out.path(), stemFor(graph[wanted[i]].name, i)));
  }

  std::map<ValueId, std::size_t> nonFinite;
  job.beginStage("Running", source.sampleCount(), "samples");
  forEachFeed(
      source, job,
      [&](const Feed& feed) { return valuesOf(plan, feed, wanted, quantization, job); },
      [&](const Feed& feed, const std::vector<Tensor>& values) {
        for (const auto& [input, tensor] : feed.inputs) {
          nonFinite[input] += nonFiniteCount(tensor, feed);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!values[i].defined()) continue;
          for (std::size_t sample = 0; sample < feed.samples; ++sample) {
            writers[i]->append(sampleOf(values[i], feed, sample));
          }
        }
      });

  if (beforeWriting) beforeWriting();
  RunResult result;
  result.values = closeWriters(graph, wanted, writers);
  for (const auto& [input, count] : nonFinite) {
    if (count > 0) result.nonFinite.push_back({graph[input].name, count});
  }
  nlohmann::ordered_json manifest = manifestJson(result.values);
  manifest["synthetic"] = source.synthetic();
  writeFileAtomically(out.path() / "manifest.json", manifest.dump(2) + "\n");
  out.keep();
  return result;
}

}  // namespace quantscope

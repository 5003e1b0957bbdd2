#include "jobs/export/onnx_runtime_outputs.h"

#include <algorithm>

#include "analysis/errors/output_errors.h"
#include "base/files/atomic_file.h"
#include "base/files/input_file.h"
#include "base/number_text.h"
#include "base/workers.h"
#include "compare/wanted_run.h"
#include "export/json/json_number.h"
#include "jobs/export/onnx_runtime.h"
#include "resources/onnxruntime_outputs_js.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRunLimit{300};

std::optional<ElementType> typeNamed(const std::string& wanted) {
  for (const ElementType type :
       {ElementType::Float32, ElementType::Float64, ElementType::Float16, ElementType::BFloat16}) {
    if (wanted == name(type)) return type;
  }
  return std::nullopt;
}

/// The tensor of an answer; undefined where its type is no float, or the file another one.
Tensor tensorOf(const nlohmann::json& entry) {
  const std::optional<ElementType> type = typeNamed(entry.at("type").get<std::string>());
  if (!type) return {};
  Shape shape;
  for (const nlohmann::json& extent : entry.at("dims")) shape.append(extent.get<std::int64_t>());
  Tensor tensor(*type, shape);
  InputFile file(entry.at("file").get<std::string>());
  if (file.size() != tensor.byteSize()) return {};
  file.read(0, {tensor.mutableBytes(), tensor.byteSize()});
  return tensor;
}

Tensor outputNamed(const nlohmann::json& outputs, const std::string& name) {
  for (const nlohmann::json& entry : outputs) {
    if (entry.at("name") == name) return tensorOf(entry);
  }
  return {};
}

class OnnxRuntimeRun {
 public:
  OnnxRuntimeRun(const LoadedModel& model, const QuantizedModel& quantized, JobContext& job)
      : m_engine(*model.engine), m_graph(*model.graph), m_quantized(quantized), m_job(job) {
    for (const ValueId output : m_graph.outputs()) {
      const auto& element = m_graph[output].type.element;
      if (!element || isFloat(*element)) m_outputs.push_back(output);
    }
  }

  OnnxRuntimeAgreement run(const std::string& bytes, SampleSource& source, std::size_t samples,
                           const std::optional<fs::path>& modules) {
    m_job.beginStage("Running in ONNX Runtime", 0);
    const TemporaryFolder temporary;
    writeFileAtomically(temporary / "model.onnx", bytes);
    const std::vector<Feed> feeds = readFeeds(source, samples);
    const OnnxRuntimeAnswer answer =
        askOnnxRuntime(resources::onnxruntime_outputs_js(), requestFor(feeds, temporary), modules,
                       temporary, kRunLimit, m_job);
    OnnxRuntimeAgreement agreement;
    agreement.problem = answer.problem;
    if (!agreement.problem.empty()) return agreement;
    agreement.version = answer.json.value("version", "");
    agreement.optimizedProblem = answer.json.value("problem", "");
    compare(feeds, answer.json, agreement);
    return agreement;
  }

 private:
  static std::vector<Feed> readFeeds(SampleSource& source, std::size_t samples) {
    std::vector<Feed> feeds;
    std::size_t read = 0;
    for (std::size_t i = 0; i < source.feedCount() && read < samples; ++i) {
      feeds.push_back(source.read(i));
      read += feeds.back().samples;
    }
    return feeds;
  }

  nlohmann::json requestFor(const std::vector<Feed>& feeds,
                            const TemporaryFolder& temporary) const {
    nlohmann::json request{{"file", (temporary / "model.onnx").string()},
                           {"folder", temporary.path().string()},
                           {"feeds", nlohmann::json::array()}};
    std::size_t files = 0;
    for (const Feed& feed : feeds) {
      nlohmann::json inputs = nlohmann::json::array();
      for (const auto& [value, tensor] : feed.inputs) {
        const std::string file = "input_" + std::to_string(files++);
        inputs.push_back(handOver(m_graph[value].name, tensor, temporary / file));
      }
      request["feeds"].push_back(std::move(inputs));
    }
    return request;
  }

  std::vector<OutputErrors> errorsOfOutputs() const {
    std::vector<OutputErrors> errors;
    for (const ValueId output : m_outputs) {
      errors.emplace_back(m_graph, output, std::span<const std::int64_t>());
    }
    return errors;
  }

  void compare(const std::vector<Feed>& feeds, const nlohmann::json& answer,
               OnnxRuntimeAgreement& agreement) const {
    std::vector<OutputErrors> plain = errorsOfOutputs();
    std::vector<OutputErrors> optimized = errorsOfOutputs();
    const WantedRun simulation(m_engine, m_outputs);
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Feed& feed = feeds[i];
      Tensors simulated;
      m_job.workers().run([&] { simulated = simulation.run(feed, &m_quantized.applied, m_job); });
      agreement.samples += feed.samples;
      const auto add = [&](std::vector<OutputErrors>& errors, const nlohmann::json& made) {
        for (std::size_t k = 0; k < m_outputs.size(); ++k) {
          const Tensor theirs = outputNamed(made.at(i), m_graph[m_outputs[k]].name);
          errors[k].add(
              measureOutput(simulated[m_outputs[k]], theirs, feed.batch, feed.samples, false),
              feed.firstSample);
        }
      };
      add(plain, answer.at("plain"));
      if (agreement.optimizedProblem.empty()) add(optimized, answer.at("optimized"));
    }
    for (std::size_t k = 0; k < m_outputs.size(); ++k) {
      const OutputResult without = plain[k].result();
      agreement.outputs.push_back({m_graph[m_outputs[k]].name, without.error.sqnrDb,
                                   optimized[k].result().error.sqnrDb, without.top1Agreement,
                                   optimized[k].result().top1Agreement});
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const QuantizedModel& m_quantized;
  JobContext& m_job;
  std::vector<ValueId> m_outputs;
};

// Between runs with and without optimizations; what rounding alone changes is far less.
constexpr double kLostByOptimizing = 6;
// What comes as close needs no explanation.
constexpr double kCloseDb = 30;

// Why optimized kernels may come far from the model; empty where they do not.
std::string noteOn(const OnnxRuntimeOutput& output) {
  const std::optional<double>& plain = output.toSimulationDb;
  const std::optional<double>& optimized = output.optimizedToSimulationDb;
  if (!plain || !optimized) return {};
  if (*optimized >= *plain - kLostByOptimizing || *optimized > kCloseDb) return {};
  return "output " + output.value +
         ": with its optimizations the runtime computes otherwise than the model says. Where the "
         "processor has no VNNI, products of uint8 and int8 may saturate in sums of 16 bits, which "
         "weights of fewer codes avoid (\"qmin\": -31, \"qmax\": 31); sums beyond 32 bits wrap. "
         "Switch them off (graph_optimization_level) where the figures have to be those shown";
}

}  // namespace

OnnxRuntimeAgreement runInOnnxRuntime(const LoadedModel& model, const QuantizedModel& quantized,
                                      const std::string& bytes, SampleSource& source,
                                      std::size_t samples, const std::optional<fs::path>& modules,
                                      JobContext& job) {
  return OnnxRuntimeRun(model, quantized, job).run(bytes, source, samples, modules);
}

nlohmann::ordered_json onnxRuntimeJson(const OnnxRuntimeAgreement& agreement) {
  if (!agreement.problem.empty()) return {{"problem", agreement.problem}};
  nlohmann::ordered_json json{{"version", agreement.version}, {"samples", agreement.samples}};
  json["outputs"] = nlohmann::ordered_json::array();
  for (const OnnxRuntimeOutput& output : agreement.outputs) {
    json["outputs"].push_back(
        {{"value", output.value},
         {"to_simulation_db", jsonNumber(output.toSimulationDb)},
         {"optimized_to_simulation_db", jsonNumber(output.optimizedToSimulationDb)},
         {"top1_agreement", jsonNumber(output.top1)},
         {"optimized_top1_agreement", jsonNumber(output.optimizedTop1)}});
  }
  for (const OnnxRuntimeOutput& output : agreement.outputs) {
    if (const std::string note = noteOn(output); !note.empty()) json["notes"].push_back(note);
  }
  if (!agreement.optimizedProblem.empty()) json["optimized_problem"] = agreement.optimizedProblem;
  return json;
}

std::string onnxRuntimeText(const OnnxRuntimeAgreement& agreement) {
  if (!agreement.problem.empty()) {
    return "not run in ONNX Runtime: " + agreement.problem + "\n";
  }
  std::string text;
  for (const OnnxRuntimeOutput& output : agreement.outputs) {
    text += "ONNX Runtime " + agreement.version + ": output " + output.value + " agrees to " +
            computedDecibels(output.toSimulationDb) + " with what was shown";
    if (agreement.optimizedProblem.empty()) {
      text += ", with its optimizations to " + computedDecibels(output.optimizedToSimulationDb);
    }
    if (output.top1) text += "; top-1 " + percent(*output.top1) + " equal";
    if (output.top1 && agreement.optimizedProblem.empty()) {
      text += ", " + percent(output.optimizedTop1.value_or(0)) + " with them";
    }
    text += " (" + counted(agreement.samples, "sample") + ")\n";
    if (const std::string note = noteOn(output); !note.empty()) text += "note: " + note + "\n";
  }
  if (!agreement.optimizedProblem.empty()) {
    text += "ONNX Runtime's optimizations make a model of it that does not run; switch them off: " +
            agreement.optimizedProblem + "\n";
  }
  return text;
}

}  // namespace quantscope

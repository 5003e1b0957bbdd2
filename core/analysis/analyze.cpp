#include "analysis/analyze.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "analysis/cost/summary.h"
#include "analysis/errors/layer_errors.h"
#include "analysis/errors/output_errors.h"
#include "analysis/layer_report.h"
#include "base/error.h"
#include "calibration/feed_loop.h"

namespace quantscope {
namespace {

// The range of the histograms of each layer's output: the calibrated range, or nullopt.
std::vector<std::optional<Range>> histogramRanges(const Engine& engine, const QuantizedModel& model,
                                                  const Observations& observations) {
  std::vector<std::optional<Range>> ranges;
  for (const LayerQuantization& layer : model.layers) {
    const ValueId output = engine.graph()[layer.layer.last()].outputs.at(0);
    const bool known = output.valid() && observations.observed(output);
    ranges.push_back(known ? std::optional(observations.range(output, ObserverSpec{}))
                           : std::nullopt);
  }
  return ranges;
}

void requireSomething(const Engine& engine, const AnalysisResult& result) {
  for (const LayerResult& layer : result.layers) {
    if (layer.accumulated) return;
  }
  if (result.layers.empty()) {
    throw Error(ErrorCode::UnsupportedOperation, "the model has no layers to analyse", {},
                "give a model that computes something from its inputs");
  }
  if (engine.notExecutable().empty()) {
    throw Error(ErrorCode::UnsupportedOperation,
                "no layer of the model has an output of floating-point numbers", {},
                "there is nothing to quantize in it");
  }
  const NotExecutable& first = engine.notExecutable().front();
  const Node& node = engine.graph()[first.node];
  throw Error(ErrorCode::UnsupportedOperation,
              "no layer of the model can be computed, because of " + node.op + ": " + first.reason,
              {.file = {}, .node = node.name, .value = {}},
              "export the model with standard ONNX operators");
}

// Collects the results of an analysis feed by feed, and summarizes them at any time.
class Analysis {
 public:
  /// `reference`: of the float network; null = `engine`.
  Analysis(const Engine* reference, const Engine& engine, const PrecisionConfig& config,
           const QuantizedModel& model, const Observations& observations, const Labels& labels,
           ActivationCache& cache)
      : m_engine(engine),
        m_config(config),
        m_model(model),
        m_observations(observations),
        m_evaluator(engine, cache),
        m_reference(reference == nullptr
                        ? std::nullopt
                        : std::optional<Evaluator>(std::in_place, *reference, cache)),
        m_setup(m_reference ? *m_reference : m_evaluator, m_evaluator, model,
                histogramRanges(engine, model, observations)),
        m_layers(model.layers.size()) {
    for (const ValueId output : engine.graph().outputs()) {
      m_outputs.emplace_back(engine.graph(), output, labels.classes);
    }
  }

  const TwinSetup& setup() const { return m_setup; }
  const Engine& engine() const { return m_engine; }
  const std::vector<OutputErrors>& outputs() const { return m_outputs; }

  void add(const Feed& feed, const FeedRecords& records) {
    m_layers.add(records);
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
      m_outputs[i].add(*records.outputs[i], feed.firstSample);
    }
    m_samples += feed.samples;
  }

  AnalysisResult result() const {
    AnalysisResult result;
    result.samples = m_samples;
    result.backend = m_config.backend;
    result.scheme = describeDefault(m_config);
    for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
      result.layers.push_back(layerResult(m_setup, m_observations, m_layers, i));
    }
    for (const OutputErrors& output : m_outputs) result.outputs.push_back(output.result());
    result.notComputed = listNotComputed(m_evaluator, m_model);
    result.notSupported = m_model.notSupported;
    result.notices = m_model.notices;
    result.summary = summarize(m_engine, m_model, m_observations);
    return result;
  }

 private:
  const Engine& m_engine;
  const PrecisionConfig& m_config;
  const QuantizedModel& m_model;
  const Observations& m_observations;
  Evaluator m_evaluator;
  std::optional<Evaluator> m_reference;  // where it is another engine's
  TwinSetup m_setup;
  LayerErrors m_layers;
  std::vector<OutputErrors> m_outputs;
  std::size_t m_samples = 0;
};

// Decides when to publish intermediate results: at once, then rarely enough that it takes a small
// share of the whole time.
class PublishingPace {
 public:
  bool due() const { return Clock::now() >= m_next; }

  template <class Publish>
  void publish(Publish&& publish) {
    constexpr auto kLeast = std::chrono::milliseconds(300);
    const Clock::time_point start = Clock::now();
    publish();
    const Clock::time_point end = Clock::now();
    m_next = end + std::max<Clock::duration>(kLeast, 10 * (end - start));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point m_next;
};

}  // namespace

void requireLabelledOutput(const std::vector<OutputErrors>& outputs, const Labels& labels) {
  if (labels.classes.empty()) return;
  if (std::ranges::any_of(outputs, &OutputErrors::takesLabels)) return;
  std::string why = "the labels fit no output of the model: none has class scores";
  const OutputErrors* most = nullptr;
  for (const OutputErrors& output : outputs) {
    if (output.classes() && (most == nullptr || *output.classes() > *most->classes())) {
      most = &output;
    }
  }
  if (most != nullptr) {
    const auto sample = std::ranges::find_if(labels.classes, [&](std::int64_t label) {
      return static_cast<std::size_t>(label) >= *most->classes();
    });
    why = "the label " + std::to_string(*sample) + " of sample " +
          std::to_string(sample - labels.classes.begin()) + " is none of the " +
          std::to_string(*most->classes()) + " classes of '" + most->name() + "'";
  }
  throw Error(ErrorCode::InvalidData, why, {.file = labels.source, .node = {}, .value = {}},
              "give class indices from 0 for a model that gives a score to each class");
}

namespace {

// Adds feed after feed to an analysis, at most `most` of them.
AnalysisResult analyzeAll(Analysis& analysis, SampleSet& source, const Labels& labels,
                          AnalysisMemory& memory, JobContext& job, const AnalysisSink& publish,
                          std::size_t most) {
  if (source.sampleCount() == 0) {
    throw Error(ErrorCode::InsufficientData, "there are no samples to analyse",
                {.file = source.description(), .node = {}, .value = {}}, "give at least one");
  }
  const auto result = [&] {
    AnalysisResult soFar = analysis.result();
    soFar.data = source.description();
    soFar.synthetic = source.synthetic();
    return soFar;
  };

  job.beginStage("Analysing", source.sampleCount(), "samples");
  PublishingPace pace;
  forEachFeed(
      source, job,
      [&](const Feed& feed) { return measureFeed(analysis.setup(), feed, {}, memory.errors, job); },
      [&](const Feed& feed, const FeedRecords& records) {
        analysis.add(feed, records);
        if (!labels.classes.empty() && feed.firstSample == 0) {
          requireLabelledOutput(analysis.outputs(), labels);
        }
        const bool more = feed.firstSample + feed.samples < source.sampleCount();
        if (publish && more && pace.due()) pace.publish([&] { publish(result()); });
      },
      most);

  AnalysisResult complete = result();
  requireSomething(analysis.engine(), complete);
  return complete;
}

}  // namespace

AnalysisResult analyze(const Engine& engine, const Configuration& config,
                       const QuantizedModel& model, const Observations& observations,
                       SampleSet& samples, const Labels& labels, AnalysisMemory& memory,
                       JobContext& job, const AnalysisSink& publish, std::size_t most) {
  Analysis analysis(nullptr, engine, *config.precision, model, observations, labels,
                    memory.activations);
  return analyzeAll(analysis, samples, labels, memory, job, publish, most);
}

AnalysisResult analyzeAgainst(const Engine& reference, const Engine& engine,
                              const Configuration& config, const QuantizedModel& model,
                              const Observations& observations, SampleSet& samples,
                              const Labels& labels, AnalysisMemory& memory, JobContext& job) {
  Analysis analysis(&reference, engine, *config.precision, model, observations, labels,
                    memory.activations);
  return analyzeAll(analysis, samples, labels, memory, job, {},
                    std::numeric_limits<std::size_t>::max());
}

std::vector<ValueId> valuesToAnalyze(const Engine& engine, const PrecisionConfig& config) {
  const Graph& graph = engine.graph();
  const ResolvedConfig resolved(graph, config);
  const std::shared_ptr<const Backend> backend = findBackend(config.backend);
  std::vector<ValueId> values(graph.outputs().begin(), graph.outputs().end());
  for (const FusedLayer& layer : findFusedLayers(engine, *backend, resolved)) {
    const auto& inputs = graph[layer.lead()].inputs;
    const auto& outputs = graph[layer.last()].outputs;
    std::ranges::copy_if(inputs, std::back_inserter(values), &ValueId::valid);
    std::ranges::copy_if(outputs, std::back_inserter(values), &ValueId::valid);
  }
  return values;
}

AnalysisResult describeLayers(const Engine& engine, const Configuration& config,
                              const QuantizedModel& model, const Observations& observations) {
  ActivationCache nothing(0);
  return Analysis(nullptr, engine, *config.precision, model, observations, {}, nothing).result();
}

}  // namespace quantscope

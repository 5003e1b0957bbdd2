#include "export/report_fixture.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "support/graph_text.h"

namespace quantscope::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kSmallGraph = R"(
input image:float[1,3,8,8]
input condition:bool[]
w1:float[4,3,3,3]
b1:float[4]
w2:float[10,256]
conv1 = Conv(image, w1, b1) pads=[1,1,1,1] @/features/conv1/Conv
norm1 = BatchNormalization(conv1, s:float[4], o:float[4], m:float[4], v:float[4]) @/features/conv1/Norm
relu1 = Relu(norm1) @/features/conv1/Relu
scaled = Mul(relu1, half:float[1]{0.5}) @/features/Mul
added = Add(scaled, relu1) @/features/Add
chosen = If(condition) @/gate then={
  kept = Relu(added) @keep
  output kept
} else={
  turned = Neg(added) @turn
  output turned
}
odd = com.example.Strange(chosen) @/odd
flat = Flatten(added) @/Flatten
scores = Gemm(flat, w2) transB=1 @/classifier
output scores
)";

ErrorMetrics metricsFor(double sqnrDb) {
  const double nmse = std::pow(10, -sqnrDb / 10);
  ErrorMetrics metrics;
  metrics.count = 6400;
  metrics.sqnrDb = sqnrDb;
  metrics.nmse = nmse;
  metrics.cosine = 1 - nmse / 2;
  metrics.mse = 2.25 * nmse;
  metrics.rmse = 1.5 * std::sqrt(nmse);
  metrics.maxAbs = 6 * std::sqrt(nmse);
  metrics.meanAbs = 1.2 * std::sqrt(nmse);
  metrics.meanSigned = -0.01 * nmse;
  return metrics;
}

LayerError errorOf(double sqnrDb, std::size_t channels, std::size_t samples) {
  LayerError error;
  error.total = metricsFor(sqnrDb);
  for (std::size_t i = 0; i < channels; ++i) {
    error.channelSqnrDb.push_back(sqnrDb + 6 * std::sin(2.4 * static_cast<double>(i)));
  }
  for (std::size_t i = 0; i < samples; ++i) {
    error.sampleSqnrDb.push_back(
        static_cast<float>(sqnrDb + 3 * std::cos(1.7 * static_cast<double>(i))));
  }
  return error;
}

OutputHistogram histogramOf(float high) {
  OutputHistogram histogram{.low = -high / 4, .high = high, .reference = {}, .quantized = {}};
  for (int bin = 0; bin < 64; ++bin) {
    const double x = (bin - 16) / 12.0;
    const double density = 4000 * std::exp(-x * x);
    histogram.reference.push_back(static_cast<std::uint64_t>(density));
    histogram.quantized.push_back(bin % 2 == 0 ? static_cast<std::uint64_t>(2 * density) : 0);
  }
  return histogram;
}

std::string fusedOpsOf(const Graph& graph, const std::vector<NodeId>& members) {
  std::string ops;
  for (const NodeId member : members) ops += (ops.empty() ? "" : "+") + graph[member].op;
  return ops;
}

LayerResult layerOf(const Graph& graph, const std::vector<NodeId>& members) {
  const Node& lead = graph[members.front()];
  const Node& last = graph[members.back()];
  LayerResult layer;
  layer.node = members.front();
  layer.members = members;
  layer.name = lead.name;
  layer.op = lead.op;
  layer.fusedOps = fusedOpsOf(graph, members);
  layer.scope = scopeOf(lead.name);
  layer.outputValue = graph[last.outputs[0]].name;
  layer.channelAxis = 1;
  return layer;
}

void quantize(LayerResult& layer, double localDb, double accumulatedDb, std::size_t channels,
              std::size_t samples) {
  layer.quantized = true;
  layer.activation = AppliedType{.type = QuantType::UInt8, .granularity = {}, .symmetric = false};
  layer.output = layer.activation;
  layer.outputScale = 0.0235;
  layer.observedMin = -0.75;
  layer.observedMax = 6.5;
  layer.representableMin = -0.7285;
  layer.representableMax = 5.264;
  layer.clippedShare = 0.00021;
  layer.local = errorOf(localDb, channels, samples);
  layer.accumulated = errorOf(accumulatedDb, channels, samples);
  layer.local->total.rmseOverScale = 0.31;
  layer.accumulated->total.rmseOverScale = 0.9;
  layer.histogram = histogramOf(6);
}

void addWeight(LayerResult& layer, std::int64_t parameters) {
  layer.parameters = parameters;
  layer.weight = AppliedType{
      .type = QuantType::Int8,
      .granularity = {.kind = Granularity::Kind::PerChannel, .axis = 0, .groupSize = 0}};
}

AnalysisResult emptyResult(const char* model, std::size_t samples) {
  AnalysisResult result;
  result.model = model;
  result.data = "digits.npz";
  result.calibrationData = "digits.npz";
  result.backend = "x86";
  result.scheme =
      "weights int8 symmetric per-channel minmax, activations uint8 asymmetric per-tensor minmax";
  result.samples = samples;
  result.summary = {.nodesByType = {{"int8", 2}, {"fp32", 1}},
                    .quantizedLayers = 3,
                    .meanCompression = 4,
                    .trueCompression = 3.81,
                    .memorySavedBytes = 672'000,
                    .memorySavedPercent = 73.8,
                    .floatBytes = 911'000,
                    .quantizedBytes = 239'000,
                    .calibrationSamples = samples,
                    .macsAbove8Bits = 0.1875};
  return result;
}

OutputResult outputOf(const char* value, double sqnrDb, std::size_t samples) {
  const LayerError error = errorOf(sqnrDb, 0, samples);
  return {.value = value,
          .error = error.total,
          .sampleSqnrDb = error.sampleSqnrDb,
          .floatClasses = {},
          .quantizedClasses = {},
          .kl = 0.0123,
          .top1Agreement = 0.958,
          .accuracyFloat = 0.914,
          .accuracyQuantized = 0.909};
}

// Convolutions, and an addition after every three of them: of their input or, now and then, of a
// value far above.
std::string deepGraphLine(std::size_t i) {
  char line[256];
  const std::size_t stage = i / 20;
  const std::size_t block = i / 4;
  if (i % 4 == 0) {
    const std::size_t skip = i % 96 == 0 ? i - 60 : i - 4;
    std::snprintf(line, sizeof line, "v%zu = Add(v%zu, v%zu) @/stage%zu/block%zu/add%zu\n", i,
                  i - 1, skip, stage, block, i);
  } else {
    std::snprintf(line, sizeof line,
                  "v%zu = Conv(v%zu, w%zu:float[8,8,1,1]) @/stage%zu/block%zu/conv%zu\n", i, i - 1,
                  i, stage, block, i);
  }
  return line;
}

}  // namespace

LayerResult& ReportFixture::layer(const std::string& name) {
  for (LayerResult& layer : result.layers) {
    if (layer.name == name) return layer;
  }
  throw std::invalid_argument("no layer '" + name + "'");
}

ReportFixture smallReport() {
  constexpr std::size_t kSamples = 8;
  ReportFixture fixture{
      graphFromText(kSmallGraph), emptyResult("small.onnx", kSamples),
      parseConfiguration(R"({"quantscope": 1, "nodes": {"/features/Mul": "fp32"}})", "fixture")};
  const Graph& graph = *fixture.graph;
  const auto node = [&](const char* name) { return graph.findNode(name); };
  std::vector<LayerResult>& layers = fixture.result.layers;

  layers.push_back(layerOf(graph, {node("/features/conv1/Conv"), node("/features/conv1/Norm"),
                                   node("/features/conv1/Relu")}));
  quantize(layers.back(), 41.25, 38.5, 4, kSamples);
  addWeight(layers.back(), 112);
  layers.push_back(layerOf(graph, {node("/features/Mul")}));  // left in float
  layers.back().accumulated = errorOf(kInfinity, 4, kSamples);
  layers.push_back(layerOf(graph, {node("/features/Add")}));
  quantize(layers.back(), 22.5, 19.75, 4, kSamples);
  layers.push_back(layerOf(graph, {node("/gate")}));
  layers.push_back(layerOf(graph, {node("/gate/then/keep")}));
  quantize(layers.back(), 45, 44, 4, kSamples);
  ErrorMetrics& withoutSignal = layers.back().local->total;
  withoutSignal.sqnrDb.reset();
  withoutSignal.nmse.reset();
  withoutSignal.cosine.reset();
  withoutSignal.mse = 0;
  layers.push_back(layerOf(graph, {node("/gate/else/turn")}));
  layers.push_back(layerOf(graph, {node("/odd")}));
  layers.push_back(layerOf(graph, {node("/Flatten")}));
  layers.back().dataMover = true;
  layers.back().accumulated = errorOf(19.75, 0, kSamples);
  layers.push_back(layerOf(graph, {node("/classifier")}));
  quantize(layers.back(), 33.125, 24.5, 10, kSamples);
  addWeight(layers.back(), 2560);

  fixture.result.outputs.push_back(outputOf("scores", 24.5, kSamples));
  fixture.result.notComputed.push_back({.node = "/odd",
                                        .op = "Strange",
                                        .domain = "com.example",
                                        .version = 1,
                                        .reason = "the operator is unknown"});
  return fixture;
}

ReportFixture deepReport(std::size_t layers) {
  constexpr std::size_t kSamples = 24;
  std::string text = "input v0:float[1,8,4,4]\n";
  for (std::size_t i = 1; i <= layers; ++i) text += deepGraphLine(i);
  ReportFixture fixture{graphFromText(text), emptyResult("deep.onnx", kSamples)};
  for (const NodeId node : fixture.graph->main().nodes) {
    const auto i = static_cast<double>(node.at());
    fixture.result.layers.push_back(layerOf(*fixture.graph, {node}));
    quantize(fixture.result.layers.back(), 42 + 8 * std::sin(i / 3),
             38 - 14 * i / static_cast<double>(layers) + 4 * std::sin(i / 5), 8, kSamples);
    if ((*fixture.graph)[node].op == "Conv") addWeight(fixture.result.layers.back(), 64);
  }
  const std::string last = fixture.result.layers.back().outputValue;
  fixture.result.outputs.push_back(outputOf(last.c_str(), 24.5, kSamples));
  return fixture;
}

}  // namespace quantscope::test

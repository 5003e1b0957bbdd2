#include "export/exported_case.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "analysis/errors/class_scores.h"
#include "analysis/errors/output_errors.h"
#include "engine/execution.h"
#include "export/window_model.h"
#include "onnx/writing/write_model.h"
#include "parity/peer_run.h"
#include "precision/config/configuration.h"
#include "support/test_paths.h"
#include "tensor/npy.h"

namespace quantscope::test {

std::vector<Tensor> runOn(const Engine& engine,
                          const std::vector<std::pair<ValueId, Tensor>>& given,
                          const std::vector<ValueId>& wanted, const AppliedQuantization* applied,
                          std::size_t batch, const Workers& workers) {
  PlanRequest request{{}, wanted, wanted};
  for (const auto& [value, tensor] : given) request.given.push_back(value);
  const Plan plan(engine, request);
  std::vector<Tensor> values;
  workers.run([&] {
    Execution execution(plan, given, applied, batch);
    execution.run();
    for (const ValueId value : wanted) values.push_back(execution.value(value));
  });
  return values;
}

namespace {

using Values = std::vector<std::pair<ValueId, Tensor>>;

/// A folder with a model, its feeds and what the peer made of them.
class PeerFolder {
 public:
  void writeModel(const ModelDraft& draft) {
    std::ofstream(path("model.onnx").toStdString(), std::ios::binary) << modelBytes(draft);
  }
  void addFeed(const std::vector<std::pair<std::string, Tensor>>& inputs) {
    QJsonObject feed;
    for (const auto& [name, tensor] : inputs) {
      const QString file = path(QString("in%1.npy").arg(m_files++));
      writeNpy(file.toStdString(), tensor);
      feed[QString::fromStdString(name)] = file;
    }
    m_feeds.append(feed);
  }
  void run(const char* level) {
    QFile feeds(path("feeds.json"));
    if (!feeds.open(QFile::WriteOnly)) throw std::runtime_error("cannot write feeds.json");
    feeds.write(QJsonDocument(m_feeds).toJson());
    feeds.close();
    callPeer("node", "onnxruntime_feeds.js",
             {path("model.onnx"), path("feeds.json"), m_folder.path(), level});
  }
  Tensor result(std::size_t sample, std::size_t output) const {
    return readNpy(path(QString("%1_%2.npy").arg(sample).arg(output)).toStdString());
  }

 private:
  QString path(const QString& name) const { return m_folder.filePath(name); }
  QTemporaryDir m_folder;
  QJsonArray m_feeds;
  int m_files = 0;
};

std::size_t within(const QuantizedModel& model, ValueId value, const Tensor& ours,
                   const Tensor& theirs) {
  if (ours.shape() != theirs.shape()) return 0;
  const StepSize step(model, value, ours);
  const Tensor a = toFloat32(ours);
  const Tensor b = toFloat32(theirs);
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.elementCount(); ++i) {
    const double x = a.values<float>()[i];
    const double y = b.values<float>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1.0001 * step.at(x)) {
      ++count;
    }
  }
  return count;
}

void compareWindows(ExportedCase& exported, const Feed& feed, PeerAgreement& agreement) {
  const Engine& engine = *exported.model.engine;
  const Graph& graph = engine.graph();
  const QuantizedModel& model = exported.calibrated.model;
  std::vector<ExportWindow> windows = cutIntoWindows(engine, model, exported.qdq.readAs, 8);
  std::map<ValueId, Tensor> values;
  for (const auto& [value, tensor] : feed.inputs) values[value] = tensor;
  std::vector<ValueId> wanted;
  for (const ExportWindow& window : windows) {
    for (const ValueId input : window.inputs) {
      if (values.try_emplace(input).second) wanted.push_back(input);
    }
  }
  const auto computed = runOn(engine, feed.inputs, wanted, nullptr, feed.batch, exported.workers);
  for (std::size_t i = 0; i < wanted.size(); ++i) values[wanted[i]] = computed[i];
  std::erase_if(windows, [&](const ExportWindow& window) {
    return std::ranges::any_of(window.inputs,
                               [&](ValueId input) { return !values.at(input).defined(); });
  });
  agreement.windowCount = windows.size();
  agreement.worstWindow = agreement.windows = 1;
  if (windows.empty()) return;

  const WindowModel cut = windowModel(exported.qdq, graph, windows);
  PeerFolder folder;
  folder.writeModel(cut.draft);
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const ValueId input : cut.inputs) {
    inputs.emplace_back("in/" + graph[input].name, toLayout(values.at(input), Layout::Plain));
  }
  folder.addFeed(inputs);
  folder.run("disabled");
  std::size_t all = 0;
  std::size_t good = 0;
  std::size_t output = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    Values given;
    for (const ValueId input : windows[w].inputs) given.emplace_back(input, values.at(input));
    const auto simulated =
        runOn(engine, given, windows[w].outputs, &model.applied, feed.batch, exported.workers);
    std::size_t elements = 0;
    std::size_t close = 0;
    for (std::size_t i = 0; i < simulated.size(); ++i, ++output) {
      elements += simulated[i].elementCount();
      close += within(model, windows[w].outputs[i], simulated[i], folder.result(0, output));
    }
    all += elements;
    good += close;
    if (elements == 0) continue;
    agreement.worstWindow =
        std::min(agreement.worstWindow, static_cast<double>(close) / static_cast<double>(elements));
  }
  agreement.windows = static_cast<double>(good) / static_cast<double>(all);
}

// Whether the export has the simulation's class. Where that one leads by less than quantization has
// moved the scores, the quantized network itself has not decided.
bool sameDecision(const Tensor& reference, const Tensor& simulated, const Tensor& exported,
                  std::size_t batch) {
  if (!isFloat(simulated.type()) || !classCount(simulated, batch)) return true;
  const Tensor f = toFloat32(reference);
  const Tensor s = toFloat32(simulated);
  const Tensor e = toFloat32(exported);
  const std::span<const float> scores = s.values<float>();
  double moved = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    moved = std::max(moved, std::abs(double{scores[i]} - f.values<float>()[i]));
  }
  const std::size_t ours = top1(scores);
  const std::size_t theirs = top1(e.values<float>());
  return ours == theirs || double{scores[ours]} - scores[theirs] <= moved;
}

bool runs(PeerFolder& folder, const char* level) {
  try {
    folder.run(level);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

void compareOutputs(ExportedCase& exported, std::size_t samples, PeerAgreement& agreement) {
  const Engine& engine = *exported.model.engine;
  const Graph& graph = engine.graph();
  const std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  PeerFolder folder;
  folder.writeModel(exported.qdq.draft);
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < std::min(samples, exported.source->feedCount()); ++i) {
    feeds.push_back(exported.source->read(i));
    std::vector<std::pair<std::string, Tensor>> inputs;
    for (const auto& [value, tensor] : feeds.back().inputs) {
      inputs.emplace_back(graph[value].name, tensor);
    }
    folder.addFeed(inputs);
  }
  std::vector<std::vector<Tensor>> plain(feeds.size());
  folder.run("disabled");
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    for (std::size_t o = 0; o < outputs.size(); ++o) plain[i].push_back(folder.result(i, o));
  }
  // Its optimizations make invalid operators of some types: then there is nothing to compare.
  const bool optimizes = runs(folder, "all");
  std::optional<double> leastGain;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::span<const std::int64_t> none;
    OutputErrors toSimulation(graph, outputs[o], none);
    OutputErrors toFloat(graph, outputs[o], none);
    OutputErrors optimized(graph, outputs[o], none);
    double decided = 1;
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Feed& feed = feeds[i];
      const std::vector<ValueId> wanted{outputs[o]};
      const Tensor reference =
          runOn(engine, feed.inputs, wanted, nullptr, feed.batch, exported.workers)[0];
      const Tensor simulated =
          runOn(engine, feed.inputs, wanted, &exported.calibrated.model.applied, feed.batch,
                exported.workers)[0];
      const auto measure = [&](const Tensor& a, const Tensor& b) {
        return measureOutput(a, b, feed.batch, feed.samples, false);
      };
      if (!sameDecision(reference, simulated, plain[i][o], feed.batch)) decided = 0;
      toSimulation.add(measure(simulated, plain[i][o]), feed.firstSample);
      toFloat.add(measure(reference, simulated), feed.firstSample);
      if (optimizes) optimized.add(measure(simulated, folder.result(i, o)), feed.firstSample);
    }
    const OutputResult result = toSimulation.result();
    agreement.decided = std::min(agreement.decided, decided);
    if (!result.error.sqnrDb) continue;
    agreement.top1 = std::min(agreement.top1, result.top1Agreement.value_or(1));
    const double simulation = toFloat.result().error.sqnrDb.value_or(0);
    const double gain =
        std::max(*result.error.sqnrDb - simulation, *result.error.sqnrDb >= 50 ? 3.0 : -INFINITY);
    if (leastGain && gain >= *leastGain) continue;
    leastGain = gain;
    agreement.toSimulationDb = *result.error.sqnrDb;
    agreement.simulationToFloatDb = simulation;
    agreement.optimizedDb = optimizes ? optimized.result().error.sqnrDb : std::nullopt;
  }
}

LoadedModel load(const QString& model, JobContext& job) {
  return loadModel(model.toStdString(), job);
}

}  // namespace

ExportedCase::ExportedCase(const QString& file, const QString& data, const std::string& config,
                           std::size_t samples, int opset)
    : model(load(file, job)) {
  SourceOptions options;
  options.samples = samples;
  source = openSamples(data.toStdString(), *model.graph, options);
  const Configuration parsed =
      config.empty() ? Configuration() : parseConfiguration(config, "config");
  calibrated = calibrateAndQuantize(model, parsed, *source, 1, job);
  qdq = buildQdqModel(*model.engine, calibrated.model,
                      opset == 0 ? std::nullopt : std::optional(opset), /*hidesGrids=*/true);
}

std::vector<FloatModel> floatModels() {
  std::vector<FloatModel> models;
  const auto add = [&](const QString& name, const QString& folder, const QString& data) {
    const bool known = !folder.isEmpty();
    models.push_back({name, known ? folder + "/" + name + ".onnx" : QString(),
                      known ? folder + "/" + data + ".npz" : QString()});
  };
  for (const char* name : {"digits_mobilenet", "digits_transformer"}) {
    add(name, QUANTSCOPE_SAMPLES_DIRECTORY, name);
  }
  const QString folder = qEnvironmentVariable("QUANTSCOPE_MODELS");
  for (const char* name :
       {"mnist_cntk", "factorio_mnist_float", "cifar10_resnet8_float", "cifar10_resnet8_bn",
        "vww_mobilenet025_96_float", "vww_mobilenet025_96_bn", "mobilenet_v1_025_224_imagenet",
        "squeezenet_fp32", "squeezenet_fp16", "ultraface_rfb320", "fastestdet", "vittracker",
        "magika_v3_3", "gtcrn_simple", "gtcrn_unrolled_x4", "silero_vad_16k_op15", "supres_core",
        "basic_pitch_nmp", "fns_mosaic_std"}) {
    add(name, folder, name);
  }
  add("ultraface_rfb320_simplified", folder, "ultraface_rfb320");
  add("gtcrn", folder, "gtcrn_simple");
  add("silero_vad", folder, "silero_vad_16k_op15");
  add("fns_candy", folder, "fns_mosaic_std");
  return models;
}

std::string mixedConfig(const QString& file, const QString& data) {
  const ExportedCase plain(file, data, R"({"quantscope":1,"backend":"generic"})", 1);
  QJsonObject nodes;
  int turn = 0;
  const auto tensor = [](const char* type, bool symmetric) {
    return symmetric ? QJsonObject{{"type", type}, {"symmetric", true}}
                     : QJsonObject{{"type", type}};
  };
  for (const LayerQuantization& layer : plain.calibrated.model.layers) {
    if (!layer.quantized || layer.dataMover) continue;
    const QString name =
        QString::fromStdString(plain.model.graph->nodes()[layer.layer.lead().at()].name);
    switch (turn++ % 5) {
      case 1:
        nodes[name] =
            QJsonObject{{"weight", tensor("int8", true)}, {"activation", tensor("int16", true)}};
        break;
      case 2:
        nodes[name] = "fp32";
        break;
      case 3:
        nodes[name] = QJsonObject{{"weight", tensor("fp8e4m3", true)},
                                  {"activation", tensor("fp8e4m3", true)}};
        break;
      default:
        break;
    }
  }
  const QJsonObject config{{"quantscope", 1}, {"backend", "generic"}, {"nodes", nodes}};
  return QJsonDocument(config).toJson().toStdString();
}

QString PeerAgreement::fault(bool half) const {
  // ONNX Runtime's processor kernels compute float16 networks in float32 and leave out roundings
  // between them, each of which moves a number by up to an eighth of an 8-bit step. Behind many
  // layers both networks have errors of their own: were these independent and of the same size, the
  // two would be 3 dB further from each other than from the float network.
  if (windows < (half ? 0.98 : 0.999)) return QString("windows agree to %1 %").arg(100 * windows);
  const double least = half ? simulationToFloatDb - 2 : std::min(50.0, simulationToFloatDb + 3);
  if (toSimulationDb < least) {
    return QString("%1 dB from the simulation, which is %2 dB from the float network")
        .arg(toSimulationDb)
        .arg(simulationToFloatDb);
  }
  if (!half && decided < 1) return "another class where the simulation has decided";
  return {};
}

QString PeerAgreement::row(const QString& name) const {
  return QString(
             "%1 %2 windows %3 % (worst %4 %), to simulation %5 dB (optimized %6), simulation "
             "to float %7 dB, top-1 %8 %")
      .arg(name, -30)
      .arg(windowCount, 4)
      .arg(100 * windows, 0, 'f', 4)
      .arg(100 * worstWindow, 0, 'f', 2)
      .arg(toSimulationDb, 0, 'f', 1)
      .arg(optimizedDb ? QString::number(*optimizedDb, 'f', 1) : "refused")
      .arg(simulationToFloatDb, 0, 'f', 1)
      .arg(100 * top1, 0, 'f', 1);
}

PeerAgreement runInPeer(ExportedCase& exported, std::size_t samples) {
  PeerAgreement agreement;
  compareWindows(exported, exported.source->read(0), agreement);
  compareOutputs(exported, samples, agreement);
  return agreement;
}

}  // namespace quantscope::test

#include <QtTest>
#include <algorithm>
#include <numeric>

#include "analysis/sensitivity/sensitivity.h"
#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_search.h"
#include "precision/edits/edit_precision.h"
#include "precision/edits/type_choices.h"
#include "precision/parameters/encoding_of.h"
#include "precision/parameters/quantized_model.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

constexpr const char* kEncodedProducts = R"(
  input x:float[1,24]
  a:float[24,22]
  b:float[22,20]
  v = MatMul(x, a) @one
  y = MatMul(v, b) @two
  output y
)";

/// A network in eight bits, and the same with all of its grids as encodings.
struct EncodedCase {
  EncodedCase() {
    PrecisionConfig precision;
    precision.backend = "generic";
    plain = {std::move(precision)};
    observations = calibrate(engine(), *network.data, observationSettings(plain, 1), network.job);
    const QuantizedModel model = quantizeModel(engine(), plain, observations);
    const Graph& graph = engine().graph();
    std::vector<ConfigEdit> edits;
    for (std::size_t i = 0; i < model.groups.points.size(); ++i) {
      edits.push_back(
          setEncoding(pointName(graph, model.groups.points[i]), encodingOf(*paramsOf(model, i))));
    }
    for (const LayerQuantization& layer : model.layers) {
      for (const WeightParams& weight : layer.weights) {
        const ValueId value = graph[layer.layer.lead()].inputs[weight.input];
        edits.push_back(setEncoding({graph[value].name, {}}, encodingOf(weight.params)));
      }
    }
    encoded = together(std::move(edits), {}).apply(plain);
  }

  const Engine& engine() const { return *network.model.engine; }
  OptimizedConfig search(const Configuration& start) {
    return runSearch(network.model, start, *network.data, *network.data, {},
                     {.goal = {SearchGoal::Kind::Bits, 32},
                      .types = {QuantType::Int8, QuantType::Int16, QuantType::Float32}},
                     1, network.memory, network.job);
  }

  test::TextNetwork network{kEncodedProducts, 8};
  Configuration plain;
  Configuration encoded;
  Observations observations;
};

bool has(const Configuration& config, const char* name) {
  return config.encodings->find({name, {}}) != nullptr;
}

}  // namespace

/// Configurations that set grids exactly, as repairs and imports write them.
class EncodedStartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anotherTypeVoidsWhatTheOldOneHad_data();
  void anotherTypeVoidsWhatTheOldOneHad();
  void whatContradictedBeforeStays();
  void aSearchFindsTheWiderTypes();
  void sensitivityTriesOtherTypes();
};

void EncodedStartsTest::anotherTypeVoidsWhatTheOldOneHad_data() {
  QTest::addColumn<int>("type");
  QTest::newRow("wider") << static_cast<int>(QuantType::Int16);
  QTest::newRow("float") << static_cast<int>(QuantType::Float32);
}

// Of the layer that changes, and of no other; undo gives them back, in their order.
void EncodedStartsTest::anotherTypeVoidsWhatTheOldOneHad() {
  QFETCH(const int, type);
  EncodedCase with;
  const auto model = std::make_shared<const QuantizedModel>(
      quantizeModel(with.engine(), with.encoded, with.observations));
  const TypeChoices choices(with.network.model.engine, with.encoded, model);
  const std::optional<std::size_t> layer = choices.layerWith(with.engine().graph().findNode("two"));
  QVERIFY(layer && has(with.encoded, "a") && has(with.encoded, "b"));
  const ConfigEdit edit = choices.setType({*layer}, static_cast<QuantType>(type));
  const Configuration changed = edit.apply(with.encoded);
  QVERIFY(has(changed, "a") && !has(changed, "b"));
  const QuantizedModel after = quantizeModel(with.engine(), changed, with.observations);
  QVERIFY2(after.notices.empty(), after.notices.empty() ? "" : after.notices.front().c_str());
  QVERIFY(after.layers.front().weight == model->layers.front().weight);
  QVERIFY(edit.inverse(with.encoded).apply(changed) == with.encoded);
}

// An encoding of another type than its weights is a mistake, which another change does not hide.
void EncodedStartsTest::whatContradictedBeforeStays() {
  EncodedCase with;
  const auto model = std::make_shared<const QuantizedModel>(
      quantizeModel(with.engine(), with.plain, with.observations));
  Encoding wrong = *with.encoded.encodings->find({"a", {}});
  wrong.type = QuantType::Int4;
  const Configuration start = setEncoding({"a", {}}, wrong).apply(with.encoded);
  const TypeChoices choices(with.network.model.engine, start, model);
  const std::optional<std::size_t> layer = choices.layerWith(with.engine().graph().findNode("two"));
  QVERIFY(has(choices.setType({*layer}, QuantType::Int16).apply(start), "a"));
}

// The same as without encodings, which set the grids that calibration finds anyway.
void EncodedStartsTest::aSearchFindsTheWiderTypes() {
  EncodedCase with;
  const OptimizedConfig plain = with.search(with.plain);
  const OptimizedConfig found = with.search(with.encoded);
  QVERIFY(plain.pareto.size() > 1);
  QCOMPARE(found.pareto.size(), plain.pareto.size());
  QVERIFY(found.start.sqnrDb == plain.start.sqnrDb);
  QVERIFY(*found.chosen.sqnrDb > *found.start.sqnrDb);
  for (std::size_t i = 0; i < plain.pareto.size(); ++i) {
    QVERIFY(found.pareto[i].point.sqnrDb == plain.pareto[i].point.sqnrDb);
  }
}

// The rows of a configuration whose grids are encodings are those of the one that observes them.
void EncodedStartsTest::sensitivityTriesOtherTypes() {
  EncodedCase with;
  const auto rowsAround = [&](const Configuration& config) {
    const SensitivityRequest request{
        .types = {QuantType::Int8, QuantType::Int16, QuantType::Float32},
        .around = SensitivityRequest::Around::Configuration};
    Sensitivity sensitivity(with.engine(), config, with.observations, request, *with.network.data,
                            {}, with.network.memory, with.network.job);
    std::vector<std::size_t> items(sensitivity.items().size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    return sensitivity.run(items, "Sensitivity");
  };
  const std::vector<SensitivityRow> encoded = rowsAround(with.encoded);
  const std::vector<SensitivityRow> plain = rowsAround(with.plain);
  QCOMPARE(encoded.size(), std::size_t{6});
  QCOMPARE(plain.size(), encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    QVERIFY2(encoded[i].refused.empty(), encoded[i].refused.c_str());
    QCOMPARE(encoded[i].outputs.size(), plain[i].outputs.size());
    QVERIFY(encoded[i].outputs[0].error.sqnrDb == plain[i].outputs[0].error.sqnrDb);
  }
}

QUANTSCOPE_TEST(EncodedStartsTest)
#include "test_encoded_starts.moc"

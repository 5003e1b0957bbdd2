#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "calibration/open_samples.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/npy_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"
#include "tensor/half.h"
#include "tensor/npy.h"

using namespace quantscope;
using quantscope::test::graphFromText;
using quantscope::test::npyBytes;
using quantscope::test::npyDictionary;
using quantscope::test::zipBytes;

class ArraySamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cutsSamplesThatKeepTheAxis();
  void wholeFeedsAndScalars();
  void scalarForEverySample();
  void inputOfUnknownShape();
  void fixedBatchGroupsAndPads();
  void wholeFeedsBesideGroups();
  void onlyTheFirstSamples();
  void npyForOneInput();
  void readsInAnyOrder();
  void whatDoesNotFit_data();
  void whatDoesNotFit();
  void countsThatDisagree_data();
  void countsThatDisagree();
  void numbersThatAreNotFinite();
  void elementsAreConverted();
  void labels();

 private:
  std::unique_ptr<SampleSource> open(const Graph& graph,
                                     const std::vector<std::pair<std::string, Tensor>>& arrays,
                                     const SourceOptions& options = {}) const {
    return openSamples(writeNpz(arrays), graph, options);
  }
  std::string writeNpz(const std::vector<std::pair<std::string, Tensor>>& arrays) const;
  QTemporaryDir m_folder;
};

namespace {

std::string npyOf(const Tensor& tensor) {
  const std::string elements(reinterpret_cast<const char*>(tensor.bytes()), tensor.byteSize());
  return formatNpyHeader(tensor.type(), tensor.shape().dimensions()) + elements;
}

// 0, 1, 2, … so that every element tells where it came from.
template <class T = float>
Tensor counted(const Shape& shape) {
  Tensor tensor(ElementTypeOf<T>::kType, shape);
  T number = 0;
  for (T& element : tensor.mutableValues<T>()) element = number++;
  return tensor;
}

Tensor zeros(ElementType type, const Shape& shape) {
  return Tensor::zeros(type, shape);
}

std::string tensorText(const Tensor& tensor) {
  QStringList numbers;
  for (const float value : toFloat32(tensor).values<float>()) numbers << QString::number(value);
  return toString(tensor.shape()) + " " + numbers.join(' ').toStdString();
}

}  // namespace

std::string ArraySamplesTest::writeNpz(
    const std::vector<std::pair<std::string, Tensor>>& arrays) const {
  std::vector<test::ZipMember> members;
  for (const auto& [name, tensor] : arrays) {
    members.push_back({.name = name + ".npy", .content = npyOf(tensor), .deflate = true});
  }
  return test::writeFile(m_folder, "data.npz", zipBytes(members));
}

void ArraySamplesTest::cutsSamplesThatKeepTheAxis() {
  const auto graph = graphFromText("input x:float[N,2]\ninput y:float[1,1]\nz = Add(x, y)");
  const auto source = open(*graph, {{"y", counted({3, 1})}, {"x", counted({3, 2})}});
  QCOMPARE(source->sampleCount(), std::size_t{3});
  QCOMPARE(source->feedCount(), std::size_t{3});
  QVERIFY(!source->synthetic());
  QVERIFY(test::contains(source->description(), "data.npz"));
  const Feed feed = source->read(2);
  QCOMPARE(feed.firstSample, std::size_t{2});
  QCOMPARE(feed.samples, std::size_t{1});
  QCOMPARE(feed.batch, std::size_t{1});
  QCOMPARE(feed.inputs.size(), std::size_t{2});
  QVERIFY(feed.inputs[0].first == graph->findValue("x"));
  QCOMPARE(tensorText(feed.inputs[0].second), std::string("[1, 2] 4 5"));
  QCOMPARE(tensorText(feed.inputs[1].second), std::string("[1, 1] 2"));
}

// The shapes of a voice detector: state is carried with the batch on axis 1.
void ArraySamplesTest::wholeFeedsAndScalars() {
  const auto graph = graphFromText(
      "input x:float[batch,length]\ninput state:float[2,batch,1]\ninput rate:int64[]\n"
      "y = Thing(x, state, rate)");
  const auto source = open(*graph, {{"x", counted({3, 1, 2})},
                                    {"state", counted({3, 2, 1, 1})},
                                    {"rate", counted<std::int64_t>({3})}});
  QCOMPARE(source->sampleCount(), std::size_t{3});
  const Feed feed = source->read(1);
  QCOMPARE(tensorText(feed.inputs[0].second), std::string("[1, 2] 2 3"));
  QCOMPARE(tensorText(feed.inputs[1].second), std::string("[2, 1, 1] 2 3"));
  QVERIFY(identical(feed.inputs[2].second, Tensor::scalar<std::int64_t>(1)));
  const auto column = open(*graph, {{"x", counted({3, 1, 2})},
                                    {"state", counted({3, 2, 1, 1})},
                                    {"rate", counted<std::int64_t>({3, 1})}});
  QVERIFY(identical(column->read(2).inputs[2].second, Tensor::scalar<std::int64_t>(2)));
}

void ArraySamplesTest::scalarForEverySample() {
  const auto graph = graphFromText("input x:float[N,1]\ninput rate:int64[]\ny = Thing(x, rate)");
  const auto source =
      open(*graph, {{"x", counted({3, 1})}, {"rate", Tensor::scalar<std::int64_t>(16000)}});
  QCOMPARE(source->sampleCount(), std::size_t{3});
  for (const std::size_t feed : {0U, 2U}) {
    QVERIFY(identical(source->read(feed).inputs[1].second, Tensor::scalar<std::int64_t>(16000)));
  }
  const auto alone = graphFromText("input rate:float[]\ny = Neg(rate)");
  QCOMPARE(open(*alone, {{"rate", Tensor::scalar(1.0F)}})->sampleCount(), std::size_t{1});
}

void ArraySamplesTest::inputOfUnknownShape() {
  const auto graph = graphFromText("input x:float\ny = Neg(x)");
  const auto source = open(*graph, {{"x", counted({3, 2, 2})}});
  QCOMPARE(tensorText(source->read(1).inputs[0].second), std::string("[1, 2, 2] 4 5 6 7"));
}

void ArraySamplesTest::fixedBatchGroupsAndPads() {
  const auto graph = graphFromText("input x:float[2,1]\ninput y:float[N,1]\nz = Add(x, y)");
  const auto source = open(*graph, {{"x", counted({5, 1})}, {"y", counted({5, 1})}});
  QCOMPARE(source->sampleCount(), std::size_t{5});
  QCOMPARE(source->feedCount(), std::size_t{3});
  const Feed whole = source->read(1);
  QCOMPARE(whole.batch, std::size_t{2});
  QCOMPARE(whole.samples, std::size_t{2});
  QCOMPARE(whole.firstSample, std::size_t{2});
  QCOMPARE(tensorText(whole.inputs[0].second), std::string("[2, 1] 2 3"));
  QCOMPARE(tensorText(whole.inputs[1].second), std::string("[2, 1] 2 3"));
  const Feed padded = source->read(2);
  QCOMPARE(padded.samples, std::size_t{1});
  QCOMPARE(tensorText(padded.inputs[0].second), std::string("[2, 1] 4 4"));
}

void ArraySamplesTest::wholeFeedsBesideGroups() {
  const auto graph = graphFromText("input x:float[2,1]\ninput s:float[3]\nz = Add(x, s)");
  const auto source = open(*graph, {{"x", counted({5, 1})}, {"s", counted({3, 3})}});
  QCOMPARE(tensorText(source->read(2).inputs[1].second), std::string("[3] 6 7 8"));
  VERIFY_ERROR(open(*graph, {{"x", counted({5, 1})}, {"s", counted({5, 3})}}),
               "5 whole feeds for some inputs and 5 samples, 3 feeds, for others");
}

void ArraySamplesTest::onlyTheFirstSamples() {
  const auto graph = graphFromText("input x:float[2,1]\ny = Neg(x)");
  const std::vector<std::pair<std::string, Tensor>> arrays{{"x", counted({5, 1})}};
  const auto source = open(*graph, arrays, {.samples = 3, .seed = 0, .preprocessing = {}});
  QCOMPARE(source->sampleCount(), std::size_t{3});
  QCOMPARE(source->feedCount(), std::size_t{2});
  QCOMPARE(tensorText(source->read(1).inputs[0].second), std::string("[2, 1] 2 2"));
  QCOMPARE(open(*graph, arrays, {.samples = 9, .seed = 0, .preprocessing = {}})->sampleCount(),
           std::size_t{5});
  VERIFY_ERROR(open(*graph, arrays, {.samples = 0, .seed = 0, .preprocessing = {}}), "no samples");
}

void ArraySamplesTest::npyForOneInput() {
  const auto graph = graphFromText("input x:float[N,2]\ny = Neg(x)");
  const std::string file = test::writeFile(m_folder, "a.npy", npyOf(counted({3, 2})));
  QCOMPARE(tensorText(openSamples(file, *graph, {})->read(1).inputs[0].second),
           std::string("[1, 2] 2 3"));
  const auto two = graphFromText("input x:float[N,2]\ninput w:float[2]\ny = Add(x, w)");
  VERIFY_ERROR(openSamples(file, *two, {}), "with 2 inputs; the model wants x float32 [N, 2], w");
}

void ArraySamplesTest::readsInAnyOrder() {
  const auto graph = graphFromText("input x:float[N,2]\ny = Neg(x)");
  const auto source = open(*graph, {{"x", counted({4, 2})}});
  for (const std::size_t index : {3U, 0U, 2U, 2U}) {
    const Tensor tensor = source->read(index).inputs[0].second;
    QVERIFY(tensor.values<float>()[0] == static_cast<float>(2 * index));
  }
}

void ArraySamplesTest::whatDoesNotFit_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<Tensor>("array");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* what, const char* name, const Tensor& array,
                      const char* message) {
    QTest::newRow(what) << std::string(name) << array << std::string(message);
  };
  const auto kFloat = ElementType::Float32;
  row("wrong extent", "x", zeros(kFloat, {4, 3, 9}), "[4, 3, 9] does not fit the model");
  row("too few axes", "x", zeros(kFloat, {4, 3}), "does not fit the model");
  row("too many axes", "x", zeros(kFloat, {4, 1, 1, 3, 8}), "does not fit the model");
  row("no axis", "x", zeros(kFloat, {}), "does not fit the model");
  row("wrong feed", "x", zeros(kFloat, {4, 1, 3, 9}), "does not fit the model");
  row("wrong name", "y", zeros(kFloat, {4, 3, 8}), "no array for an input");
  row("integers for floats", "x", zeros(ElementType::UInt8, {4, 3, 8}),
      "uint8 elements where the model's input takes float32");
  row("booleans for floats", "x", zeros(ElementType::Bool, {4, 3, 8}), "astype('float32')");
  row("no samples", "x", zeros(kFloat, {0, 3, 8}), "no samples");
}

void ArraySamplesTest::whatDoesNotFit() {
  QFETCH(std::string, name);
  QFETCH(Tensor, array);
  QFETCH(std::string, message);
  const auto graph = graphFromText("input x:float[N,3,8]\ny = Neg(x)");
  VERIFY_ERROR(open(*graph, {{name, array}}), message);
  VERIFY_ERROR(open(*graph, {{name, array}}), "data.npz");
  if (message == "no samples") return;
  const std::string found =
      name + " " + std::string(quantscope::name(array.type())) + " " + toString(array.shape());
  VERIFY_ERROR(open(*graph, {{name, array}}),
               "the model wants x float32 [N, 3, 8], the file holds " + found);
}

void ArraySamplesTest::countsThatDisagree_data() {
  QTest::addColumn<std::string>("shapeOfY");
  QTest::addColumn<Tensor>("y");
  QTest::addColumn<std::string>("message");
  QTest::newRow("samples") << std::string("[N,1]") << counted({4, 1})
                           << std::string("4 samples here and 3 for the input x");
  QTest::newRow("feeds") << std::string("[7]") << counted({4, 7}) << std::string("4 whole feeds");
  QTest::newRow("batches") << std::string("[2,1]") << counted({3, 1})
                           << std::string("takes 2 at once here and 1 at the input x");
  QTest::newRow("array of no input")
      << std::string("[N,1]") << Tensor() << std::string("no input of the array's name");
}

void ArraySamplesTest::countsThatDisagree() {
  QFETCH(std::string, shapeOfY);
  QFETCH(Tensor, y);
  QFETCH(std::string, message);
  const auto graph =
      graphFromText("input x:float[1,1]\ninput y:float" + shapeOfY + "\nz = Add(x, y)");
  std::vector<std::pair<std::string, Tensor>> arrays{{"x", counted({3, 1})}};
  arrays.emplace_back("y", y.defined() ? y : counted({3, 1}));
  if (!y.defined()) arrays.emplace_back("extra", counted({3, 1}));
  VERIFY_ERROR(open(*graph, arrays), message);
}

void ArraySamplesTest::numbersThatAreNotFinite() {
  const auto graph = graphFromText("input x:float[N,2,2]\ny = Neg(x)");
  Tensor array = counted({3, 2, 2});
  array.mutableValues<float>()[9] = std::numeric_limits<float>::quiet_NaN();
  array.mutableValues<float>()[10] = -std::numeric_limits<float>::infinity();
  const auto source = open(*graph, {{"x", array}});
  source->read(1);
  VERIFY_ERROR(source->read(2),
               "sample 2 of the data holds 2 numbers that are not finite, the first is nan at "
               "[0, 0, 1]");
  VERIFY_ERROR(source->read(2), "value x): repair");

  const auto halves = graphFromText("input x:float16[N,1]\ny = Neg(x)");
  const Tensor infinite = Tensor::of<Float16>({1, 1}, {Float16{0x7C00}});
  VERIFY_ERROR(open(*halves, {{"x", infinite}})->read(0), "1 number that is not finite");
}

void ArraySamplesTest::elementsAreConverted() {
  const auto graph = graphFromText("input x:int32[N,1]\ny = Neg(x)");
  const auto source = open(*graph, {{"x", Tensor::of<std::int64_t>({2, 1}, {7, 1LL << 31})}});
  QVERIFY(identical(source->read(0).inputs[0].second, Tensor::of<std::int32_t>({1, 1}, {7})));
  VERIFY_ERROR(source->read(1), "the number 2147483648 does not fit into the input's type int32");
}

void ArraySamplesTest::labels() {
  const auto write = [&](const Tensor& tensor) {
    return test::writeFile(m_folder, "labels.npy", npyOf(tensor));
  };
  QVERIFY(readLabels(write(Tensor::of<std::uint8_t>({3}, {2, 0, 255}))) ==
          std::vector<std::int64_t>({2, 0, 255}));
  VERIFY_ERROR(readLabels(write(counted({3}))), "labels are integers along one axis");
  VERIFY_ERROR(readLabels(write(counted<std::int32_t>({3, 1}))), "int32 of shape [3, 1]");
  VERIFY_ERROR(readLabels(write(Tensor::of<std::int32_t>({2}, {0, -1}))), "negative");
  VERIFY_ERROR(readLabels(write(Tensor::of<std::uint64_t>({1}, {~0ULL}))), "does not fit");
}

QUANTSCOPE_TEST(ArraySamplesTest)
#include "test_array_samples.moc"

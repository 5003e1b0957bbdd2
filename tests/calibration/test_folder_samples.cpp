#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "base/files/input_file.h"
#include "calibration/open_samples.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"

using namespace quantscope;
using quantscope::test::graphFromText;
using quantscope::test::littleEndian;
using quantscope::test::writeFile;

class FolderSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void testSetsByNumber();
  void testSetsMatchNames();
  void testSetsMatchOrder();
  void testSetsThatDoNotFit();
  void imagesInByteOrder();
  void imagesForOtherInputs_data();
  void imagesForOtherInputs();
  void imagesThatDoNotFit();
  void imageThatDoesNotDecode();
  void folderOfNothing();
  void otherData();

 private:
  std::unique_ptr<SampleSource> open(const Graph& graph, const std::string& preprocessing = {}) {
    SourceOptions options;
    if (!preprocessing.empty()) options.preprocessing = parsePreprocessing(preprocessing);
    return openSamples(m_folder->path().toStdString(), graph, options);
  }
  void writeGray(const char* name, char code) {
    writeFile(*m_folder, name, test::pngBytes({.colorType = 0, .rows = std::string(1, code)}));
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

// A TensorProto of one float32 axis: dims = 1, data_type = 2, name = 8, raw_data = 9.
std::string floatTensor(const std::string& name, const std::vector<float>& values) {
  std::string raw;
  for (const float value : values) raw += littleEndian(std::bit_cast<std::uint32_t>(value), 4);
  std::string bytes{'\x08', static_cast<char>(values.size()), '\x10', '\x01'};
  if (!name.empty()) bytes += '\x42' + littleEndian(name.size(), 1) + name;
  return bytes + '\x4A' + littleEndian(raw.size(), 1) + raw;
}

std::vector<float> elementsOf(const Tensor& tensor) {
  const std::span<const float> values = tensor.values<float>();
  return {values.begin(), values.end()};
}

}  // namespace

void FolderSamplesTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void FolderSamplesTest::testSetsByNumber() {
  const auto graph = graphFromText("input x:float[n]\ny = Neg(x)");
  for (const int set : {0, 1, 2, 10}) {
    const std::vector<float> values(static_cast<std::size_t>(1 + set % 3), static_cast<float>(set));
    writeFile(*m_folder, QString("test_data_set_%1/input_0.pb").arg(set), floatTensor("", values));
    writeFile(*m_folder, QString("test_data_set_%1/output_0.pb").arg(set), "not read");
  }
  writeFile(*m_folder, "model.onnx", "not read");
  const auto source = open(*graph);
  QCOMPARE(source->sampleCount(), std::size_t{4});
  QCOMPARE(source->feedCount(), std::size_t{4});
  QVERIFY(elementsOf(source->read(3).inputs[0].second) == std::vector<float>({10, 10}));
  QVERIFY(elementsOf(source->read(2).inputs[0].second) == std::vector<float>({2, 2, 2}));
}

void FolderSamplesTest::testSetsMatchNames() {
  const auto graph = graphFromText("input a:float[2]\ninput b:float[2]\ny = Add(a, b)");
  writeFile(*m_folder, "test_data_set_0/input_0.pb", floatTensor("b", {1, 2}));
  writeFile(*m_folder, "test_data_set_0/input_1.pb", floatTensor("a", {3, 4}));
  const Feed feed = open(*graph)->read(0);
  QVERIFY(feed.inputs[0].first == graph->findValue("a"));
  QVERIFY(elementsOf(feed.inputs[0].second) == std::vector<float>({3, 4}));
  QVERIFY(elementsOf(feed.inputs[1].second) == std::vector<float>({1, 2}));
}

void FolderSamplesTest::testSetsMatchOrder() {
  std::string text;
  for (int i = 0; i < 11; ++i) text += "input i" + std::to_string(i) + ":float[1]\n";
  const auto graph = graphFromText(text + "y = Thing(i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10)");
  for (int i = 0; i < 11; ++i) {
    const std::string name = i == 4 ? "i7" : "";  // names that do not cover the inputs do not count
    writeFile(*m_folder, QString("test_data_set_0/input_%1.pb").arg(i),
              floatTensor(name, {static_cast<float>(i)}));
  }
  const Feed feed = open(*graph)->read(0);
  for (std::size_t i = 0; i < 11; ++i) {
    QVERIFY(elementsOf(feed.inputs[i].second) == std::vector<float>({static_cast<float>(i)}));
  }
}

void FolderSamplesTest::testSetsThatDoNotFit() {
  const auto graph = graphFromText("input a:float[2]\ninput b:float[2]\ny = Add(a, b)");
  writeFile(*m_folder, "test_data_set_0/input_0.pb", floatTensor("", {1, 2}));
  VERIFY_ERROR(open(*graph)->read(0), "holds 1 inputs, the model wants a float32 [2], b");
  writeFile(*m_folder, "test_data_set_0/input_1.pb", floatTensor("", {1, 2, 3}));
  VERIFY_ERROR(open(*graph)->read(0), "sample 0 has the shape [3], the model wants b float32 [2]");
  writeFile(*m_folder, "test_data_set_0/input_1.pb", "\xff\xff\xff");
  VERIFY_ERROR(open(*graph)->read(0), "input_1.pb");
}

void FolderSamplesTest::imagesInByteOrder() {
  const auto graph = graphFromText("input x:float[N,1,1,1]\ny = Neg(x)");
  writeGray("b.png", 10);
  writeGray("B.PNG", 20);
  writeGray("a10.png", 30);
  writeGray("a2.png", 40);
  writeFile(*m_folder, "readme.txt", "skipped");
  writeFile(*m_folder, "folder.png/inside.png", "skipped");
  const auto source = open(*graph, R"({"color":"gray","scale":0.5})");
  QCOMPARE(source->sampleCount(), std::size_t{4});
  std::vector<float> found;
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor tensor = source->read(i).inputs[0].second;
    QVERIFY(tensor.shape() == Shape({1, 1, 1, 1}));
    found.push_back(tensor.values<float>()[0]);
  }
  QVERIFY(found == std::vector<float>({10, 15, 20, 5}));
}

void FolderSamplesTest::imagesForOtherInputs_data() {
  QTest::addColumn<std::string>("input");
  QTest::addColumn<Tensor>("expected");
  QTest::newRow("without a batch axis")
      << std::string("float[1,1,1]") << Tensor::of<float>({1, 1, 1}, {4.5F});
  QTest::newRow("integers") << std::string("uint8[1,1,1,1]")
                            << Tensor::of<std::uint8_t>({1, 1, 1, 1}, {4});
  QTest::newRow("halves") << std::string("float16[1,1,1,1]")
                          << Tensor::of<Float16>({1, 1, 1, 1}, {Float16{0x4480}});
  QTest::newRow("a batch") << std::string("float[2,1,1,1]")
                           << Tensor::of<float>({2, 1, 1, 1}, {4.5F, 4.5F});
}

void FolderSamplesTest::imagesForOtherInputs() {
  QFETCH(std::string, input);
  QFETCH(Tensor, expected);
  const auto graph = graphFromText("input x:" + input + "\ny = Neg(x)");
  writeGray("a.png", 9);
  const auto source = open(*graph, R"({"color":"gray","scale":0.5})");
  QVERIFY(identical(source->read(0).inputs[0].second, expected));
}

void FolderSamplesTest::imagesThatDoNotFit() {
  writeGray("a.png", 9);
  const auto graph = graphFromText("input x:float[N,3,2,2]\ny = Neg(x)");
  VERIFY_ERROR(open(*graph), "give --preprocess FILE.json");
  VERIFY_ERROR(open(*graph, "{}")->read(0),
               "sample 0 has the shape [1, 3, 1, 1], the model wants x float32 [N, 3, 2, 2]");
  VERIFY_ERROR(open(*graph, "{}")->read(0), "set \"size\"");
  VERIFY_ERROR(open(*graph, R"({"crop":[2,2]})")->read(0), "a.png): give a \"size\"");
  const auto two = graphFromText("input x:float[1]\ninput w:float[1]\ny = Add(x, w)");
  VERIFY_ERROR(open(*two, "{}"), "images cannot serve a model with 2 inputs");
  const auto bytes = graphFromText("input x:uint8[N,3,1,1]\ny = Neg(x)");
  VERIFY_ERROR(open(*bytes, R"({"scale":30})")->read(0), "270 does not fit into the input's type");
  VERIFY_ERROR(open(*bytes, R"({"scale":1e30})")->read(0), "too large for an integer input");
}

void FolderSamplesTest::imageThatDoesNotDecode() {
  const auto graph = graphFromText("input x:float[N,3,1,1]\ny = Neg(x)");
  writeGray("a.png", 9);
  writeFile(*m_folder, "b.jpg", "no image");
  const auto source = open(*graph, "{}");
  source->read(0);
  VERIFY_ERROR(source->read(1), "b.jpg): replace it");
}

void FolderSamplesTest::folderOfNothing() {
  const auto graph = graphFromText("input x:float[N,3,1,1]\ny = Neg(x)");
  writeFile(*m_folder, "readme.txt", "skipped");
  VERIFY_ERROR(open(*graph, "{}"), "holds no images");
}

void FolderSamplesTest::otherData() {
  const auto graph = graphFromText("input x:float[N,3,1,1]\ny = Neg(x)");
  VERIFY_ERROR(openSamples("missing.npz", *graph, {}), "does not exist (missing.npz)");
  VERIFY_ERROR(openSamples("missing", *graph, {}), "does not exist (missing)");
  VERIFY_ERROR(openSamples(writeFile(*m_folder, "data.csv", "1,2"), *graph, {}),
               "this kind of data is not known");
}

QUANTSCOPE_TEST(FolderSamplesTest)
#include "test_folder_samples.moc"

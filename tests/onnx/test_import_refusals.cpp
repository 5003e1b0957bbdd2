#include <QTemporaryDir>
#include <QtTest>

#include "onnx/import.h"
#include "support/error_text.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

class ImportRefusalsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void filesThatAreNoModel_data();
  void filesThatAreNoModel();
  void missingFilesAndFolders();
  void unsoundGraphs_data();
  void unsoundGraphs();
  void tensorsThatLie_data();
  void tensorsThatLie();
  void everyTruncationIsAnError();
  void everyFlippedByteIsHandled();

 private:
  std::string write(const std::string& bytes) const {
    return writeFile(m_folder, "model.onnx", bytes);
  }
  QTemporaryDir m_folder;
};

namespace {

const std::string kPngHeader = "\x89PNG\r\n\x1a\n";

OnnxGraph relu(std::vector<ProtoMessage> initializers = {}) {
  return {.nodes = {{"Relu", {"x"}, {"y"}, "relu", {}, ""}},
          .inputs = {"x"},
          .outputs = {"y"},
          .initializers = std::move(initializers),
          .functions = {}};
}

OnnxGraph graphOf(std::vector<OnnxNode> nodes, std::vector<std::string> outputs) {
  return {.nodes = std::move(nodes),
          .inputs = {"x"},
          .outputs = std::move(outputs),
          .initializers = {},
          .functions = {}};
}

}  // namespace

void ImportRefusalsTest::filesThatAreNoModel_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("sentence");
  const auto row = [](const char* name, const std::string& bytes, const char* sentence) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(sentence);
  };
  row("empty", "", "the file is empty");
  row("text", "# Real models with real inputs\n", "this is not an ONNX model");
  row("picture", kPngHeader + std::string(64, '\0'), "this is not an ONNX model");
  row("zeros", std::string(1000, '\0'), "this is not an ONNX model");
  row("a tensor", onnxFloats("t", {1}, {1}).text(), "this is not an ONNX model");
  row("no graph", ProtoMessage().integer(1, 8).text(), "this is not an ONNX model");
  row("an empty graph", onnxModel(OnnxGraph{}), "this is not an ONNX model");
  row("the first bytes", onnxModel(relu()).substr(0, 5), "this is not an ONNX model");
  row("half", onnxModel(relu()).substr(0, 40), "damaged or ends too early");
  row("without its end", onnxModel(relu()).substr(0, onnxModel(relu()).size() - 1),
      "damaged or ends too early");
  row("something behind it", onnxModel(relu()) + '\x01', "damaged or ends too early");
}

void ImportRefusalsTest::filesThatAreNoModel() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, sentence);
  const std::string file = write(bytes.toStdString());
  VERIFY_ERROR(importModel(file), sentence.toStdString());
  VERIFY_ERROR(importModel(file), file);
}

void ImportRefusalsTest::missingFilesAndFolders() {
  VERIFY_ERROR(importModel(m_folder.filePath("nothing.onnx").toStdString()), "does not exist");
  VERIFY_ERROR(importModel(m_folder.path().toStdString()), "it is a folder");
}

void ImportRefusalsTest::unsoundGraphs_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("sentence");
  QTest::addColumn<QByteArray>("place");
  const auto row = [](const char* name, const std::string& bytes, const char* sentence,
                      const char* place) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(sentence)
                        << QByteArray(place);
  };
  row("cycle",
      onnxModel(
          graphOf({{"Add", {"x", "b"}, {"a"}, "one", {}, ""}, {"Neg", {"a"}, {"b"}, "two", {}, ""}},
                  {"b"})),
      "the graph has a cycle", "node one");
  row("node that reads itself", onnxModel(graphOf({{"Neg", {"y"}, {"y"}, "n", {}, ""}}, {"y"})),
      "the graph has a cycle", "node n");
  row("missing initializer", onnxModel(graphOf({{"Add", {"x", "w"}, {"y"}, "add", {}, ""}}, {"y"})),
      "a value is read that nothing defines", "node add, value w");
  row("missing output", onnxModel(graphOf({{"Neg", {"x"}, {"y"}, "n", {}, ""}}, {"z"})),
      "a value is read that nothing defines", "value z");
  row("output without a name", onnxModel(graphOf({{"Neg", {"x"}, {"y"}, "n", {}, ""}}, {""})),
      "an output of the graph is produced by no node", "");
  row("output listed twice", onnxModel(graphOf({{"Neg", {"x"}, {"y"}, "n", {}, ""}}, {"y", "y"})),
      "an output of the graph is listed twice", "value y");
  row("two nodes make one value",
      onnxModel(
          graphOf({{"Neg", {"x"}, {"y"}, "", {}, ""}, {"Abs", {"x"}, {"y"}, "", {}, ""}}, {"y"})),
      "a value is defined more than once", "value y");
  row("a node makes an input", onnxModel(graphOf({{"Neg", {"x"}, {"x"}, "", {}, ""}}, {"x"})),
      "a value is defined more than once", "value x");
  row("a node makes an initializer", onnxModel(relu({onnxFloats("y", {1}, {1})})),
      "a value is defined more than once", "value y");
  row("two initializers of one name",
      onnxModel(relu({onnxFloats("w", {1}, {1}), onnxFloats("w", {1}, {1})})),
      "a value is defined more than once", "value w");
  row("missing operand", onnxModel(graphOf({{"Add", {"x"}, {"y"}, "add", {}, ""}}, {"y"})),
      "the operator Add has no input 1", "node add");
  row("operand left out", onnxModel(graphOf({{"Neg", {""}, {"y"}, "n", {}, ""}}, {"y"})),
      "the operator Neg has no input 0", "node n");
  row("no result",
      onnxModel(
          graphOf({{"Neg", {"x"}, {""}, "n", {}, ""}, {"Abs", {"x"}, {"y"}, "", {}, ""}}, {"y"})),
      "the operator Neg has no output", "node n");
  row("no opset", ProtoMessage().integer(1, 8).message(7, onnxGraph(relu())).text(), "which opset",
      "node relu");
}

void ImportRefusalsTest::unsoundGraphs() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, sentence);
  QFETCH(QByteArray, place);
  const std::string file = write(bytes.toStdString());
  VERIFY_ERROR(importModel(file), sentence.toStdString());
  VERIFY_ERROR(importModel(file), place.toStdString());
  VERIFY_ERROR(importModel(file), file);
}

void ImportRefusalsTest::tensorsThatLie_data() {
  QTest::addColumn<QByteArray>("tensor");
  QTest::addColumn<QByteArray>("sentence");
  const auto row = [](const char* name, const ProtoMessage& tensor, const char* sentence) {
    QTest::newRow(name) << QByteArray::fromStdString(tensor.text()) << QByteArray(sentence);
  };
  row("fewer bytes than its shape", onnxFloats("w", {3}, {1, 2}),
      "a float32 tensor of shape [3] holds 8 bytes");
  row("more bytes", onnxFloats("w", {1}, {1, 2}), "holds 8 bytes");
  row("fewer elements", onnxTensor("w", kFloat, {3}).real(4, 1), "holds 1 elements");
  row("no elements", onnxTensor("w", kInt32, {3}), "holds 0 elements");
  row("a terabyte", onnxFloats("w", {1 << 20, 1 << 20}, {1}), "holds 4 bytes");
  row("more than can be counted", onnxFloats("w", {1LL << 62, 4}, {1}), "can be counted");
  row("bytes beyond counting", onnxTensor("w", kInt64, {1LL << 61, 3}).bytes(9, ""),
      "can be counted");
  row("negative extent", onnxFloats("w", {-1}, {}), "the negative extent -1");
  row("segments", onnxFloats("w", {1}, {1}).message(3, ProtoMessage().integer(1, 0).integer(2, 1)),
      "stored in segments");
}

void ImportRefusalsTest::tensorsThatLie() {
  QFETCH(QByteArray, tensor);
  QFETCH(QByteArray, sentence);
  // As an initializer, and as an attribute.
  const ProtoMessage graph = ProtoMessage()
                                 .message(1, onnxNode({"Relu", {"x"}, {"y"}, "relu", {}, ""}))
                                 .bytes(5, tensor.toStdString())
                                 .message(11, ProtoMessage().bytes(1, "x"))
                                 .message(12, ProtoMessage().bytes(1, "y"));
  VERIFY_ERROR(importModel(write(onnxModel(graph))), sentence.toStdString());
  VERIFY_ERROR(importModel(write(onnxModel(graph))), "value w");

  const ProtoMessage attribute =
      ProtoMessage().bytes(1, "value").bytes(5, tensor.toStdString()).integer(20, 4);
  const std::string constant =
      onnxModel(graphOf({{"Constant", {}, {"c"}, "constant", {attribute}, ""}}, {"c"}));
  VERIFY_ERROR(importModel(write(constant)), sentence.toStdString());
  VERIFY_ERROR(importModel(write(constant)), "node constant");
}

void ImportRefusalsTest::everyTruncationIsAnError() {
  const std::string whole = onnxModel(relu({onnxFloats("w", {4}, {1, 2, 3, 4})}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string text = errorText([&] { importModel(write(whole.substr(0, length))); });
    QVERIFY2(!text.empty(), qPrintable(QString("%1 bytes").arg(length)));
  }
}

// Whatever the byte becomes, the model is read or refused with an Error.
void ImportRefusalsTest::everyFlippedByteIsHandled() {
  const std::string whole =
      onnxModel({.nodes = {{"Reshape", {"x", "s"}, {"r"}, "reshape", {}, ""},
                           {"Concat", {"r", "w"}, {"c"}, "", {onnxAttribute("axis", 1)}, ""},
                           {"Transpose", {"c"}, {"y"}, "", {}, ""}},
                 .inputs = {"x"},
                 .outputs = {"y"},
                 .initializers = {onnxIntegers("s", {2}, {1, -1}), onnxFloats("w", {1, 2}, {1, 2})},
                 .functions = {}});
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int mask : {0x01, 0x08, 0x80, 0xFF}) {
      std::string broken = whole;
      broken[i] = static_cast<char>(broken[i] ^ mask);
      refused += errorText([&] { importModel(write(broken)); }).empty() ? 0 : 1;
    }
  }
  QVERIFY(refused > 0);
}

QUANTSCOPE_TEST(ImportRefusalsTest)
#include "test_import_refusals.moc"

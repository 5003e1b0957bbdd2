#include <QTemporaryDir>
#include <QtTest>

#include "onnx/import.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

class ImportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsNodesValuesAndHeader();
  void initializersAmongTheInputsAreConstants();
  void everyFormOfConstant_data();
  void everyFormOfConstant();
  void nodesOutOfOrderAreSorted();
  void madeUpNamesAreStable();
  void repeatedNodeNamesAreMadeUnique();
  void namesAreMadePrintable();
  void domainAiOnnxIsTheDefault();
  void attributesWithoutAKind();
  void whatCannotBeHeldIsLeftOut();
  void unknownOperatorsStay();

 private:
  std::shared_ptr<const Graph> import(const OnnxGraph& graph, int opset = 13) const {
    return importModel(writeFile(m_folder, "model.onnx", onnxModel(graph, opset)));
  }
  QTemporaryDir m_folder;
};

namespace {

std::string inputName(const Graph& graph, std::size_t node, std::size_t input) {
  const ValueId id = graph.nodes()[node].inputs[input];
  return id.valid() ? graph[id].name : std::string("-");
}

std::vector<std::string> nodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(node.name);
  return names;
}

}  // namespace

void ImportTest::readsNodesValuesAndHeader() {
  const auto graph = import({.nodes = {{"Clip", {"x", "", "high"}, {"y"}, "clip", {}, ""},
                                       {"Dropout", {"y"}, {"z", ""}, "drop", {}, ""}},
                             .inputs = {"x"},
                             .outputs = {"z"},
                             .initializers = {onnxFloats("high", {}, {6})},
                             .functions = {}});
  QCOMPARE(graph->name, std::string("graph"));
  QCOMPARE(graph->producerName, std::string("test"));
  QCOMPARE(graph->irVersion, 8);
  QCOMPARE(graph->opsets, (std::vector<std::pair<std::string, int>>{{"", 13}}));
  QCOMPARE(nodeNames(*graph), (std::vector<std::string>{"clip", "drop"}));
  QCOMPARE(inputName(*graph, 0, 0), std::string("x"));
  QCOMPARE(inputName(*graph, 0, 1), std::string("-"));
  QCOMPARE(inputName(*graph, 0, 2), std::string("high"));
  QCOMPARE(graph->nodes()[0].version, 13);
  QVERIFY(!graph->nodes()[1].outputs[1].valid());
  QVERIFY(graph->outputs()[0] == graph->findValue("z"));
  QVERIFY(identical(*graph->constant(graph->findValue("high")), Tensor::scalar(6.0F)));
  QCOMPARE(toString((*graph)[graph->findValue("z")].type.shape), std::string("[2]"));
}

void ImportTest::initializersAmongTheInputsAreConstants() {
  const auto graph = import({.nodes = {{"Add", {"x", "w"}, {"y"}, "", {}, ""}},
                             .inputs = {"w", "x"},
                             .outputs = {"y"},
                             .initializers = {onnxFloats("w", {2}, {1, 2})},
                             .functions = {}});
  QCOMPARE(graph->inputs().size(), 1U);
  QVERIFY(graph->inputs()[0] == graph->findValue("x"));
  QVERIFY(graph->constant(graph->findValue("w")) != nullptr);
}

void ImportTest::everyFormOfConstant_data() {
  QTest::addColumn<QByteArray>("attribute");
  QTest::addColumn<QByteArray>("shape");
  QTest::addColumn<int>("elements");
  const auto row = [](const char* name, const ProtoMessage& attribute, const char* shape,
                      int elements) {
    QTest::newRow(name) << QByteArray::fromStdString(attribute.text()) << QByteArray(shape)
                        << elements;
  };
  row("value", onnxAttribute("value", onnxFloats("", {1, 2}, {7, 7})), "[1, 2]", 2);
  row("value_float", ProtoMessage().bytes(1, "value_float").real(2, 7).integer(20, 1), "[]", 1);
  row("value_int", onnxAttribute("value_int", 7), "[]", 1);
  row("value_floats",
      ProtoMessage().bytes(1, "value_floats").real(7, 7).real(7, 7).real(7, 7).integer(20, 6),
      "[3]", 3);
  row("value_ints",
      ProtoMessage().bytes(1, "value_ints").integer(8, 7).integer(8, 7).integer(20, 7), "[2]", 2);
}

void ImportTest::everyFormOfConstant() {
  QFETCH(QByteArray, attribute);
  QFETCH(QByteArray, shape);
  QFETCH(int, elements);
  const ProtoMessage node =
      ProtoMessage().bytes(2, "y").bytes(4, "Constant").bytes(5, attribute.toStdString());
  const ProtoMessage graph =
      ProtoMessage().message(1, node).message(12, ProtoMessage().bytes(1, "y"));
  const auto imported = importModel(writeFile(m_folder, "constant.onnx", onnxModel(graph)));
  QCOMPARE(imported->nodes().size(), 1U);
  const Tensor* constant = imported->constant(imported->findValue("y"));
  QVERIFY(constant != nullptr);
  QCOMPARE(QByteArray::fromStdString(toString(constant->shape())), shape);
  QCOMPARE(static_cast<int>(constant->elementCount()), elements);
  const Tensor real = toFloat32(*constant);
  for (const float element : real.values<float>()) QVERIFY(element == 7.0F);
}

void ImportTest::nodesOutOfOrderAreSorted() {
  const auto graph = import({.nodes = {{"Neg", {"b"}, {"c"}, "third", {}, ""},
                                       {"Abs", {"x"}, {"a"}, "first", {}, ""},
                                       {"Relu", {"a"}, {"b"}, "second", {}, ""}},
                             .inputs = {"x"},
                             .outputs = {"c"},
                             .initializers = {},
                             .functions = {}});
  std::vector<std::string> order;
  for (const NodeId id : graph->main().nodes) order.push_back((*graph)[id].name);
  QCOMPARE(order, (std::vector<std::string>{"first", "second", "third"}));
}

void ImportTest::madeUpNamesAreStable() {
  const auto graph = import({.nodes = {{"Relu", {"x"}, {"block/1"}, "", {}, ""},
                                       {"Relu", {"x"}, {"/a/Relu_output_0"}, "", {}, ""},
                                       {"Dropout", {"x"}, {"", "mask"}, "", {}, ""},
                                       {"Neg", {"x"}, {"y"}, "", {}, ""},
                                       {"Abs", {"x"}, {"z"}, "Neg_y", {}, ""}},
                             .inputs = {"x"},
                             .outputs = {"z"},
                             .initializers = {},
                             .functions = {}});
  // A name of the file is never taken away, even where it comes later.
  QCOMPARE(nodeNames(*graph), (std::vector<std::string>{"block/Relu_1", "/a/Relu_output_0",
                                                        "Dropout_mask", "Neg_y_2", "Neg_y"}));
}

void ImportTest::repeatedNodeNamesAreMadeUnique() {
  const auto graph = import({.nodes = {{"Relu", {"x"}, {"a"}, "n", {}, ""},
                                       {"Relu", {"x"}, {"b"}, "n", {}, ""},
                                       {"Relu", {"x"}, {"c"}, "n_2", {}, ""},
                                       {"Relu", {"x"}, {"d"}, "n", {}, ""}},
                             .inputs = {"x"},
                             .outputs = {"d"},
                             .initializers = {},
                             .functions = {}});
  QCOMPARE(nodeNames(*graph), (std::vector<std::string>{"n", "n_3", "n_2", "n_4"}));
}

void ImportTest::namesAreMadePrintable() {
  const auto graph = import({.nodes = {{"Relu", {"x\n"}, {"y\xFF"}, "n\x01", {}, ""},
                                       {"Relu", {"x\n"}, {"y\xFE"}, "größe", {}, ""}},
                             .inputs = {"x\n"},
                             .outputs = {"y\xFF"},
                             .initializers = {},
                             .functions = {}});
  QCOMPARE(nodeNames(*graph), (std::vector<std::string>{"n\uFFFD", "größe"}));
  QCOMPARE((*graph)[graph->inputs()[0]].name, std::string("x\uFFFD"));
  QCOMPARE((*graph)[graph->outputs()[0]].name, std::string("y\uFFFD"));
  QVERIFY(graph->findValue("y\uFFFD_2").valid());
}

void ImportTest::domainAiOnnxIsTheDefault() {
  const auto graph = import({.nodes = {{"Relu", {"x"}, {"y"}, "", {}, "ai.onnx"}},
                             .inputs = {"x"},
                             .outputs = {"y"},
                             .initializers = {},
                             .functions = {}},
                            14);
  QCOMPARE(graph->nodes()[0].domain, std::string());
  QCOMPARE(graph->nodes()[0].version, 14);
}

// The first writers left the kind of an attribute out.
void ImportTest::attributesWithoutAKind() {
  const auto graph =
      import({.nodes = {{"Thing",
                         {"x"},
                         {"y"},
                         "",
                         {ProtoMessage().bytes(1, "i").integer(3, 3),
                          ProtoMessage().bytes(1, "f").real(2, 0.5F),
                          ProtoMessage().bytes(1, "s").bytes(4, "text"),
                          ProtoMessage().bytes(1, "list").integer(8, 1).integer(8, 2)},
                         ""}},
              .inputs = {"x"},
              .outputs = {"y"},
              .initializers = {},
              .functions = {}});
  const Node& node = graph->nodes()[0];
  QCOMPARE(node.integer("i", 0), 3);
  QVERIFY(node.real("f", 0) == 0.5F);
  QCOMPARE(node.text("s", ""), std::string("text"));
  QCOMPARE(node.integers("list"), (std::vector<std::int64_t>{1, 2}));
}

// Strings, eight-bit floats, nine axes, sparse tensors: the rest of the model is still of use.
void ImportTest::whatCannotBeHeldIsLeftOut() {
  const ProtoMessage words = onnxTensor("words", kString, {1}).bytes(6, "hello");
  const ProtoMessage tiny = onnxTensor("tiny", kFloat8Fnuz, {2}).bytes(9, "ab");
  const ProtoMessage deep = onnxFloats("deep", {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1});
  const auto graph =
      import({.nodes = {{"Thing", {"x", "words", "tiny", "deep"}, {"y"}, "", {}, ""},
                        {"Constant", {}, {"c"}, "", {onnxAttribute("value", words)}, ""},
                        {"Relu", {"x"}, {"z"}, "", {}, ""}},
              .inputs = {"x"},
              .outputs = {"y", "z"},
              .initializers = {words, tiny, deep},
              .functions = {}});
  for (const char* name : {"words", "tiny", "deep", "c"}) {
    QVERIFY(graph->findValue(name).valid());
    QVERIFY(graph->constant(graph->findValue(name)) == nullptr);
  }
  QCOMPARE(graph->inputs().size(), 1U);
  QVERIFY(!std::get<Tensor>(graph->nodes()[1].find("value")->data).defined());
}

void ImportTest::unknownOperatorsStay() {
  const auto graph = import({.nodes = {{"Mystery", {"x"}, {"y"}, "", {}, "my.company"},
                                       {"Relu", {"y"}, {"z"}, "", {}, ""}},
                             .inputs = {"x"},
                             .outputs = {"z"},
                             .initializers = {},
                             .functions = {}});
  QCOMPARE(graph->nodes()[0].version, 0);
  QCOMPARE(graph->nodes()[0].domain, std::string("my.company"));
  QVERIFY(!(*graph)[graph->findValue("y")].type.shape.has_value());
}

QUANTSCOPE_TEST(ImportTest)
#include "test_import.moc"

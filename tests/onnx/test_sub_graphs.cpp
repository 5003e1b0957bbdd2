#include <QTemporaryDir>
#include <QtTest>

#include "onnx/import.h"
#include "support/error_text.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

class SubGraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void branchesBecomeBlocks();
  void innerNamesShadowOuterOnes();
  void namesAreUniqueOverAllBlocks();
  void capturedValuesOrderTheNodes();
  void functionsAreUnfolded();
  void functionAttributesComeFromTheCall();
  void endlessNestingIsRefused_data();
  void endlessNestingIsRefused();

 private:
  std::shared_ptr<const Graph> import(const OnnxGraph& graph) const {
    return importModel(writeFile(m_folder, "model.onnx", onnxModel(graph)));
  }
  QTemporaryDir m_folder;
};

namespace {

OnnxNode branch(const OnnxGraph& thenBody, const OnnxGraph& elseBody) {
  return {"If",
          {"x"},
          {"r"},
          "if",
          {onnxGraphAttribute("then_branch", onnxGraph(thenBody)),
           onnxGraphAttribute("else_branch", onnxGraph(elseBody))},
          ""};
}

OnnxGraph single(const OnnxNode& node) {
  return {.nodes = {node},
          .inputs = {},
          .outputs = {node.outputs[0]},
          .initializers = {},
          .functions = {}};
}

OnnxGraph model(std::vector<OnnxNode> nodes, const std::string& output,
                std::vector<ProtoMessage> functions = {}) {
  return {.nodes = std::move(nodes),
          .inputs = {"x"},
          .outputs = {output},
          .initializers = {},
          .functions = std::move(functions)};
}

const Node& find(const Graph& graph, const std::string& name) {
  const NodeId id = graph.findNode(name);
  if (!id.valid()) qFatal("no node %s", name.c_str());
  return graph[id];
}

}  // namespace

void SubGraphTest::branchesBecomeBlocks() {
  const auto graph = import(model({branch(single({"Relu", {"x"}, {"t"}, "relu", {}, ""}),
                                          single({"Neg", {"x"}, {"e"}, "", {}, ""}))},
                                  "r"));
  const Node& node = find(*graph, "if");
  QCOMPARE(node.bodies.size(), 2U);
  QVERIFY(node.attributes.empty());
  const Block& thenBlock = (*graph)[node.body("then")];
  QVERIFY(thenBlock.owner == graph->findNode("if"));
  QCOMPARE((*graph)[thenBlock.nodes[0]].name, std::string("if/then/relu"));
  QCOMPARE((*graph)[(*graph)[node.body("else")].nodes[0]].name, std::string("if/else/Neg_e"));
  QVERIFY((*graph)[thenBlock.nodes[0]].inputs[0] == graph->inputs()[0]);
  QVERIFY(thenBlock.outputs[0] == graph->findValue("t"));
  QVERIFY((*graph)[graph->findValue("t")].block == node.body("then"));
}

void SubGraphTest::innerNamesShadowOuterOnes() {
  // "a" of the branch hides "a" of the main graph, although that stands earlier in the file.
  const OnnxGraph thenBody{
      .nodes = {{"Relu", {"x"}, {"a"}, "", {}, ""}, {"Abs", {"a"}, {"t"}, "abs", {}, ""}},
      .inputs = {},
      .outputs = {"t"},
      .initializers = {},
      .functions = {}};
  const auto graph = import(model({{"Neg", {"x"}, {"a"}, "", {}, ""},
                                   branch(thenBody, single({"Exp", {"a"}, {"e"}, "exp", {}, ""}))},
                                  "r"));
  QVERIFY(find(*graph, "if/then/abs").inputs[0] == graph->findValue("if/then/a"));
  QVERIFY(find(*graph, "if/else/exp").inputs[0] == graph->findValue("a"));
  QCOMPARE(find(*graph, "Neg_a").outputs[0].index, graph->findValue("a").index);
}

void SubGraphTest::namesAreUniqueOverAllBlocks() {
  const OnnxGraph same = single({"Relu", {"x"}, {"t"}, "n", {}, ""});
  OnnxNode second = branch(same, same);
  second.outputs = {"s"};
  const auto graph = import(model({branch(same, same), second}, "s"));
  std::vector<std::string> values;
  for (const Value& value : graph->values()) values.push_back(value.name);
  QCOMPARE(values, (std::vector<std::string>{"x", "r", "s", "t", "if/else/t", "if_2/then/t",
                                             "if_2/else/t"}));
  QVERIFY(graph->findNode("if_2/else/n").valid());
}

void SubGraphTest::capturedValuesOrderTheNodes() {
  const auto graph = import(model({branch(single({"Relu", {"late"}, {"t"}, "", {}, ""}),
                                          single({"Neg", {"x"}, {"e"}, "", {}, ""})),
                                   {"Abs", {"x"}, {"late"}, "producer", {}, ""}},
                                  "r"));
  QCOMPARE((*graph)[graph->main().nodes.front()].name, std::string("producer"));
}

void SubGraphTest::functionsAreUnfolded() {
  const OnnxGraph body{.nodes = {{"Neg", {"p"}, {"inner"}, "first", {}, ""},
                                 {"Add", {"inner", "q"}, {"sum"}, "", {}, ""}},
                       .inputs = {"p", "q"},
                       .outputs = {"sum"},
                       .initializers = {},
                       .functions = {}};
  const OnnxGraph outer{.nodes = {{"Twice", {"p", "p"}, {"s"}, "twice", {}, "local"}},
                        .inputs = {"p"},
                        .outputs = {"s"},
                        .initializers = {},
                        .functions = {}};
  const auto graph = import(
      model({{"Outer", {"x"}, {"a"}, "one", {}, "local"},
             {"Twice", {"a", "x"}, {"b"}, "two", {}, "local"}},
            "b", {onnxFunction("local", "Twice", body), onnxFunction("local", "Outer", outer)}));
  std::vector<std::string> names;
  for (const Node& node : graph->nodes()) names.push_back(node.name);
  QCOMPARE(names, (std::vector<std::string>{"one/twice/first", "one/twice/Add_sum", "two/first",
                                            "two/Add_sum"}));
  QVERIFY(find(*graph, "one/twice/Add_sum").outputs[0] == graph->findValue("a"));
  QVERIFY(find(*graph, "two/first").inputs[0] == graph->findValue("a"));
  QVERIFY(find(*graph, "two/Add_sum").inputs[1] == graph->inputs()[0]);
  QVERIFY(graph->findValue("two/inner").valid());
}

void SubGraphTest::functionAttributesComeFromTheCall() {
  const ProtoMessage reference =
      ProtoMessage().bytes(1, "axis").integer(20, 2).bytes(21, "direction");
  const OnnxGraph body{.nodes = {{"Softmax", {"p"}, {"s"}, "soft", {reference}, ""}},
                       .inputs = {"p"},
                       .outputs = {"s"},
                       .initializers = {},
                       .functions = {}};
  const auto graph =
      import(model({{"F", {"x"}, {"a"}, "with", {onnxAttribute("direction", 0)}, "local"},
                    {"F", {"a"}, {"b"}, "without", {}, "local"}},
                   "b", {onnxFunction("local", "F", body, {"direction"})}));
  QCOMPARE(find(*graph, "with/soft").integer("axis", 9), 0);
  QVERIFY(!find(*graph, "without/soft").has("axis"));
}

void SubGraphTest::endlessNestingIsRefused_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("sentence");
  OnnxGraph nested = single({"Relu", {"x"}, {"t"}, "", {}, ""});
  for (int i = 0; i < 33; ++i)
    nested = single(branch(nested, single({"Neg", {"x"}, {"e"}, "", {}, ""})));
  nested.inputs = {"x"};
  QTest::newRow("sub-graphs") << QByteArray::fromStdString(onnxModel(nested))
                              << QByteArray("nested deeper than 32 levels");

  const OnnxGraph itself{.nodes = {{"F", {"p"}, {"s"}, "f", {}, "local"}},
                         .inputs = {"p"},
                         .outputs = {"s"},
                         .initializers = {},
                         .functions = {}};
  QTest::newRow("a function that calls itself")
      << QByteArray::fromStdString(onnxModel(model({{"F", {"x"}, {"a"}, "", {}, "local"}}, "a",
                                                   {onnxFunction("local", "F", itself)})))
      << QByteArray("nested deeper than 32 levels");

  // Twenty functions that call the next one twice each: a million calls from a thousand bytes.
  std::vector<ProtoMessage> functions;
  for (int i = 0; i < 20; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(onnxFunction(
        "local", "F" + std::to_string(i),
        {.nodes = {{next, {"p"}, {"m"}, "a", {}, "local"}, {next, {"m"}, {"s"}, "b", {}, "local"}},
         .inputs = {"p"},
         .outputs = {"s"},
         .initializers = {},
         .functions = {}}));
  }
  QTest::newRow("functions that multiply")
      << QByteArray::fromStdString(
             onnxModel(model({{"F0", {"x"}, {"a"}, "", {}, "local"}}, "a", functions)))
      << QByteArray("unfold into too many nodes");
}

void SubGraphTest::endlessNestingIsRefused() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, sentence);
  const std::string file = writeFile(m_folder, "nested.onnx", bytes.toStdString());
  VERIFY_ERROR(importModel(file), sentence.toStdString());
}

QUANTSCOPE_TEST(SubGraphTest)
#include "test_sub_graphs.moc"

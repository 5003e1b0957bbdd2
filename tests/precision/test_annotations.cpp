#include <QtTest>

#include "precision/point_text.h"
#include "precision/sharing/annotation_groups.h"
#include "precision/sharing/observer_placement.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Annotations as people write them, and which of them share an observer.
class AnnotationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void groups_data();
  void groups();
  void specOfAGroup_data();
  void specOfAGroup();
  void longChains();
  void placement_data();
  void placement();
  void mistakesAreNamed_data();
  void mistakesAreNamed();
  void fitsTheModel();
  void pointsThatTheModelLacks_data();
  void pointsThatTheModelLacks();
};

namespace {

/// Rows read better without JSON's quotes: names and words get theirs here; I is an int8 spec.
std::string jsonFrom(QString text) {
  text.replace(QRegularExpression("\\bI\\b"), "{dtype:int8}");
  text.replace(QRegularExpression("=>(\\w+)"), "{shared_with:\\1}");
  text.replace(QRegularExpression("=>\\((\\w+),(\\w+)\\)"), "{shared_with:[\\1,\\2]}");
  text.replace(QRegularExpression("\\bno sharing\\b"), "implicit_sharing:false");
  text.replace(QRegularExpression("(\\w+)"), "\"\\1\"");
  text.replace("\"true\"", "true").replace("\"false\"", "false").replace("\"null\"", "null");
  return "{\"nodes\":{" + text.toStdString() + "}}";
}

/// "a a>b | c": members in order, groups in order.
QString annotatedGroups(const std::vector<Annotation>& annotations) {
  QStringList groups;
  for (const AnnotationGroup& group : groupAnnotations(annotations)) {
    QStringList members;
    for (const std::size_t i : group.members) members << pointText(annotations[i].point);
    groups << members.join(' ');
  }
  return groups.join(" | ");
}

std::vector<Annotation> annotationsFrom(const QString& text) {
  return parseAnnotations(jsonFrom(text), "annotations.json");
}

}  // namespace

void AnnotationsTest::groups_data() {
  QTest::addColumn<QString>("nodes");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* nodes, const char* expected) {
    QTest::newRow(name) << QString(nodes) << QString(expected);
  };
  // The examples of PyTorch's documentation.
  row("two concatenations in a row",
      "op1:{output:I}, op2:{output:I},"
      "cat1:{inputs:{op1:I, op2:=>(op1,cat1)}, output:=>(op1,cat1)}, op3:{},"
      "cat2:{inputs:{op3:I, cat1:=>(op3,cat2)}, output:=>(op3,cat2)}",
      "op1 op2 op1>cat1 op2>cat1 cat1 op3>cat2 cat1>cat2 cat2");
  row("output and edge of one tensor", "op1:{output:I}, op2:{inputs:{op1:I}}", "op1 op1>op2");
  row("two consumers", "node2:{inputs:{node1:I}}, node3:{inputs:{node1:I}}",
      "node1>node2 node1>node3");
  row("two consumers of an output", "n1:{output:I}, n2:{inputs:{n1:I}}, n3:{inputs:{n1:I}}",
      "n1 n1>n2 n1>n3");

  row("nothing", "", "");
  row("nodes without annotations", "a:{}, b:{inputs:{}}", "");
  row("an edge from a graph input", "conv:{inputs:{x:I}, output:I}", "x>conv | conv");
  row("two inputs of a node are two tensors", "add:{inputs:{a:I, b:I}, output:I}",
      "a>add | b>add | add");
  row("order is the file's", "z:{output:I}, a:{output:I}", "z | a");
  row("edges stand before the output", "b:{output:I, inputs:{a:I}}", "a>b | b");

  row("types differ", "a:{output:{dtype:uint8}}, b:{inputs:{a:I}}", "a | a>b");
  row("dynamic-ness differs", "a:{output:I}, b:{inputs:{a:{dtype:int8,dynamic:true}}}", "a | a>b");
  row("both dynamic",
      "a:{output:{dtype:int8,dynamic:true}}, b:{inputs:{a:{dtype:int8,dynamic:true}}}", "a a>b");
  row("dynamic left out is static", "a:{output:{dtype:int8,dynamic:false}}, b:{inputs:{a:I}}",
      "a a>b");
  row("consumers of two types", "b:{inputs:{a:I}}, c:{inputs:{a:{dtype:int4}}}, d:{inputs:{a:I}}",
      "a>b a>d | a>c");

  row("sharing not allowed", "a:{output:I}, b:{inputs:{a:I}, no sharing}", "a | a>b");
  row("two consumers that do not allow it",
      "b:{inputs:{a:I}, no sharing}, c:{inputs:{a:I}, no sharing}", "a>b | a>c");
  row("one that allows it reaches one that does not",
      "a:{output:I}, b:{inputs:{a:I}, no sharing}, c:{inputs:{a:I}}", "a a>b a>c");
  row("a producer's word is not about its output", "a:{output:I, no sharing}, b:{inputs:{a:I}}",
      "a a>b");
  row("what is asked for in words is not implicit", "a:{output:I}, b:{inputs:{a:=>a}, no sharing}",
      "a a>b");

  row("with an edge", "add:{inputs:{a:I, b:=>(a,add)}, output:=>(b,add)}", "a>add b>add add");
  row("with an output further back", "a:{output:I}, b:{output:I}, c:{output:=>a}", "a c | b");
  row("with a point that stands later", "a:{output:=>b}, b:{output:I}", "a b");
  row("over several steps", "a:{output:=>b}, b:{output:=>c}, c:{output:I}, d:{output:=>a}",
      "a b c d");
  row("the type found through words counts",
      "a:{output:=>c}, b:{inputs:{a:{dtype:uint8}}}, c:{output:I}", "a c | a>b");
  row("a shared edge joins its tensor",
      "a:{output:I}, b:{output:I}, add:{inputs:{a:I, b:=>(a,add)}}", "a b a>add b>add");
  row("sharing joins tensors of one name only in one type",
      "a:{output:I}, b:{output:{dtype:uint8}}, add:{inputs:{a:I, b:=>(a,add)}}",
      "a a>add b>add | b");
  row("transitive through a consumer",
      "add1:{inputs:{x:I, y:=>(x,add1)}}, add2:{inputs:{y:I, z:=>(y,add2)}}",
      "x>add1 y>add1 y>add2 z>add2");

  // A residual block in which every sum shares with its inputs; following the words of whoever
  // leads a group would go round for ever.
  row("residuals",
      "add1:{inputs:{x:I, c1:=>(x,add1)}, output:=>(x,add1)},"
      "add2:{inputs:{c1:=>(add1,add2), add1:I}, output:=>(c1,add2)},"
      "add3:{inputs:{add1:=>(add2,add3), add2:=>(x,add3), x:I}}",
      "x>add1 c1>add1 add1 c1>add2 add1>add2 add2 add1>add3 add2>add3 x>add3");
  row("null has no observer, and none is shared with it",
      "a:{output:null}, b:{inputs:{a:I}, output:null}, c:{inputs:{a:null}, output:I}", "a>b | c");
  row("neither has what shares with null", "a:{output:null}, b:{inputs:{a:=>a}, output:=>(a,b)}",
      "");
}

void AnnotationsTest::groups() {
  QFETCH(QString, nodes);
  QFETCH(QString, expected);
  QCOMPARE(annotatedGroups(annotationsFrom(nodes)), expected);
}

void AnnotationsTest::specOfAGroup_data() {
  QTest::addColumn<QString>("nodes");
  QTest::addColumn<QString>("dtype");
  QTest::newRow("its first member's") << "a:{output:{dtype:int4}}, b:{output:=>a}"
                                      << "int4";
  QTest::newRow("of the first one with its own") << "a:{output:=>c}, b:{output:=>a}, c:{output:I}"
                                                 << "int8";
}

void AnnotationsTest::specOfAGroup() {
  QFETCH(QString, nodes);
  QFETCH(QString, dtype);
  const std::vector<AnnotationGroup> groups = groupAnnotations(annotationsFrom(nodes));
  QCOMPARE(groups.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(groups[0].spec.dtype), dtype);
}

// Time and stack must not grow with the square or the depth.
void AnnotationsTest::longChains() {
  constexpr int kLength = 100'000;
  std::vector<Annotation> chain;
  for (int i = 0; i < kLength; ++i) {
    chain.push_back({{"n" + std::to_string(i), {}}, {}, {}, true});
    if (i + 1 < kLength) chain.back().sharedWith = PointName{"n" + std::to_string(i + 1), {}};
  }
  chain.back().spec = PointSpec{"int8"};
  for (int i = 0; i < kLength; ++i) {
    chain.push_back({{"hub", "c" + std::to_string(i)}, PointSpec{"int8", false}, {}, true});
  }
  const std::vector<AnnotationGroup> groups = groupAnnotations(chain);
  QCOMPARE(groups.size(), std::size_t{2});
  QCOMPARE(groups[0].members.size(), std::size_t{kLength});
  QCOMPARE(groups[1].members.size(), std::size_t{kLength});
}

void AnnotationsTest::placement_data() {
  QTest::addColumn<QString>("nodes");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* nodes, const char* expected) {
    QTest::newRow(name) << QString(nodes) << QString(expected);
  };
  row("the edge reads what the output's observer saw", "a:{output:I}, b:{inputs:{a:I}}",
      "a at output, a>b reuses output");
  row("another type needs its own", "a:{output:{dtype:uint8}}, b:{inputs:{a:I}}",
      "a at output, a>b on edge");
  row("no output observer", "b:{inputs:{a:I}}, c:{inputs:{a:I}}", "a>b on edge, a>c reuses edge");
  row("behind the output's observer, once for two consumers",
      "a:{output:{dtype:uint8}}, b:{inputs:{a:I}}, c:{inputs:{a:I}}, d:{inputs:{a:{dtype:int4}}}",
      "a at output, a>b on edge, a>c reuses edge, a>d on edge");
  row("one group on two tensors sits on both", "add:{inputs:{a:I, b:=>(a,add)}}",
      "a>add on edge, b>add on edge");
}

void AnnotationsTest::placement() {
  QFETCH(QString, nodes);
  QFETCH(QString, expected);
  const std::vector<Annotation> annotations = annotationsFrom(nodes);
  std::vector<std::string> tensors;
  std::vector<ObservedPoint> points(annotations.size());
  const std::vector<AnnotationGroup> groups = groupAnnotations(annotations);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::size_t i : groups[group].members) points[i].group = group;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointName& name = annotations[i].point;
    points[i].isOutput = name.isOutput();
    const auto found = std::find(tensors.begin(), tensors.end(), name.producer);
    points[i].tensor = static_cast<std::size_t>(found - tensors.begin());
    if (found == tensors.end()) tensors.push_back(name.producer);
  }
  static const QStringList words{"at output", "on edge", "reuses output", "reuses edge"};
  QStringList placed;
  const std::vector<ObserverSeat> seats = placeObservers(points);
  for (std::size_t i = 0; i < seats.size(); ++i) {
    placed << pointText(annotations[i].point) + " " + words[static_cast<int>(seats[i])];
  }
  QCOMPARE(placed.join(", "), expected);
}

void AnnotationsTest::mistakesAreNamed_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QString>("told");
  const auto row = [](const char* name, const char* json, const char* told) {
    QTest::newRow(name) << QByteArray(json) << QString(told);
  };
  row("no JSON", "{", "not JSON");
  row("no object", "[]", "the annotation file is not an object");
  row("no nodes", "{}", "has no key 'nodes'");
  row("unknown key", R"({"nodes":{}, "node":{}})", "'node'");
  row("nodes in a list", R"({"nodes":[]})", "'nodes' is not an object");
  row("unknown key of a node", R"({"nodes":{"a":{"outputs":{}}}})", "'nodes.a'");
  row("node twice", R"({"nodes":{"a":{}, "a":{}}})", "\"a\" stands twice");
  row("producer twice", R"({"nodes":{"a":{"inputs":{"x":{"dtype":"int8"},"x":{"dtype":"int4"}}}}})",
      "\"x\" stands twice");
  row("spec in words", R"({"nodes":{"a":{"output":"int8"}}})", "'nodes.a.output' is not an object");
  row("unknown key of a spec", R"({"nodes":{"a":{"output":{"type":"int8"}}}})",
      "unknown key 'type'");
  row("empty spec", R"({"nodes":{"a":{"output":{}}}})", "neither a dtype nor a shared_with");
  row("only dynamic", R"({"nodes":{"a":{"output":{"dynamic":true}}}})", "neither a dtype");
  row("no text", R"({"nodes":{"a":{"output":{"dtype":8}}}})", "'nodes.a.output.dtype'");
  row("no type", R"({"nodes":{"a":{"output":{"dtype":""}}}})", "is empty");
  row("dynamic in words", R"({"nodes":{"a":{"output":{"dtype":"int8","dynamic":"yes"}}}})",
      "'nodes.a.output.dynamic' is not a boolean");
  row("sharing in words", R"({"nodes":{"a":{"implicit_sharing":1}}})",
      "'nodes.a.implicit_sharing' is not a boolean");
  row("shared and of its own",
      R"({"nodes":{"a":{"output":{"dtype":"int8","shared_with":"b"}},"b":{}}})", "leave one of");
  row("shared with a number", R"({"nodes":{"a":{"output":{"shared_with":1}}}})", "names no point");
  row("shared with three", R"({"nodes":{"a":{"output":{"shared_with":["a","b","c"]}}}})",
      "names no point");
  row("shared with half an edge", R"({"nodes":{"a":{"output":{"shared_with":["a",""]}}}})",
      "names no point");
  row("a node without a name", R"({"nodes":{"":{}}})", "empty name");
  row("a producer without a name", R"({"nodes":{"a":{"inputs":{"":{"dtype":"int8"}}}}})",
      "empty name");

  row("shared with a node that is not there", R"({"nodes":{"a":{"output":{"shared_with":"b"}}}})",
      "the output of 'a' shares with the output of 'b', which is not annotated");
  row("shared with an output that has none",
      R"({"nodes":{"a":{"output":{"shared_with":"b"}},"b":{"inputs":{"c":{"dtype":"int8"}}}}})",
      "the output of 'b', which is not annotated");
  row("shared with an edge that has none",
      R"({"nodes":{"a":{"inputs":{"x":{"shared_with":["y","a"]}}}}})",
      "the edge from 'y' to 'a', which is not annotated");
  row("shared with itself", R"({"nodes":{"a":{"output":{"shared_with":"a"}}}})",
      "in a circle and none has a dtype: the output of 'a' with the output of 'a'");
  row("a circle behind a path",
      R"({"nodes":{"a":{"output":{"shared_with":"b"}},"b":{"output":{"shared_with":"c"}},
                   "c":{"output":{"shared_with":"b"}}}})",
      "the output of 'b' with the output of 'c' with the output of 'b'");
  // The other edge of the same tensor has a type, but not by its words.
  row("a circle beside a type",
      R"({"nodes":{"a":{"output":{"dtype":"int8"}},
                   "b":{"inputs":{"a":{"shared_with":"b"}},"output":{"shared_with":["a","b"]}}}})",
      "in a circle");
}

void AnnotationsTest::mistakesAreNamed() {
  QFETCH(QByteArray, json);
  QFETCH(QString, told);
  VERIFY_ERROR(groupAnnotations(parseAnnotations(json.toStdString(), "annotations.json")),
               told.toStdString());
}

namespace {

constexpr const char* kModel = R"(
  input x:float[1,4]
  input c:bool[]
  w:float[4,4]
  a = MatMul(x, w) @one
  b = Relu(a) @two
  r = If(c) @choice then={
    t = Neg(a) @neg
    output t
  } else={
    u = Identity(b) @keep
    output u
  }
  output r
)";

}  // namespace

void AnnotationsTest::fitsTheModel() {
  const std::vector<Annotation> annotations = parseAnnotations(
      R"({"nodes":{"x":{"output":{"dtype":"int8"}},
                   "one":{"inputs":{"x":{"dtype":"int8"},"w":{"dtype":"int8"}}},
                   "two":{"inputs":{"one":{"dtype":"int8"}},"output":{"dtype":"int8"}},
                   "choice":{"inputs":{"one":{"dtype":"int8"},"two":{"dtype":"int8"}}},
                   "choice/then/neg":{"inputs":{"one":{"dtype":"int8"}}}}})",
      "annotations.json");
  requireKnownPoints(annotations, *quantscope::test::graphFromText(kModel));
  QCOMPARE(annotatedGroups(annotations),
           QString("x x>one | w>one | one>two one>choice one>choice/then/neg | two two>choice"));
}

void AnnotationsTest::pointsThatTheModelLacks_data() {
  QTest::addColumn<QString>("nodes");
  QTest::addColumn<QString>("told");
  QTest::newRow("node") << "three:{output:I}"
                        << "the output of 'three' is annotated, but the model has no node";
  QTest::newRow("value of a node") << "a:{output:I}"
                                   << "the model has no node or input of that name";
  QTest::newRow("consumer") << "three:{inputs:{x:I}}"
                            << "the model has no node 'three' (node three)";
  QTest::newRow("producer") << "two:{inputs:{three:I}}"
                            << "the model has no node or input 'three' (node two): it reads from "
                               "'one'";
  QTest::newRow("edge") << "two:{inputs:{x:I}}"
                        << "there is no such edge in the model (node two): it reads from 'one'";
  QTest::newRow("edge of a graph input") << "x:{inputs:{one:I}}"
                                         << "the model has no node 'x'";
}

void AnnotationsTest::pointsThatTheModelLacks() {
  QFETCH(QString, nodes);
  QFETCH(QString, told);
  VERIFY_ERROR(requireKnownPoints(annotationsFrom(nodes), *quantscope::test::graphFromText(kModel)),
               told.toStdString());
}

QUANTSCOPE_TEST(AnnotationsTest)
#include "test_annotations.moc"

#include <QDirIterator>
#include <QtTest>

#include "graph/operator_traits.h"
#include "structure/rules.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope::test;

namespace {

const QString kSourceDirectory = QUANTSCOPE_SOURCE_DIRECTORY;

QString contents(const QString& path) {
  QFile file(kSourceDirectory + "/" + path);
  if (!file.open(QFile::ReadOnly)) qFatal("cannot read %s", qPrintable(file.fileName()));
  return QString::fromUtf8(file.readAll());
}

/// Every C++ file of the project.
QList<SourceFile> sourceFiles() {
  QList<SourceFile> files;
  for (const char* folder : {"core", "widgets", "app", "tests"}) {
    QDirIterator entries(kSourceDirectory + "/" + folder, {"*.h", "*.cpp"}, QDir::Files,
                         QDirIterator::Subdirectories);
    while (entries.hasNext()) {
      const QString path = QDir(kSourceDirectory).relativeFilePath(entries.next());
      files << SourceFile{path, contents(path)};
    }
  }
  return files;
}

/// Names of all operators that something is known of.
QSet<QString> operatorNames() {
  QSet<QString> names;
  for (const quantscope::NamedTraits& entry : quantscope::operatorTable()) {
    names << QString::fromUtf8(entry.op.data(), static_cast<qsizetype>(entry.op.size()));
  }
  return names;
}

}  // namespace

class StructureTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTreeFollowsTheRules();
  void qtIsFound_data();
  void qtIsFound();
  void upwardIncludesAreFound_data();
  void upwardIncludesAreFound();
  void messageHeadersAreFound_data();
  void messageHeadersAreFound();
  void applicationIncludesAreFound();
  void widgetLayersAreFound_data();
  void widgetLayersAreFound();
  void comparedOperatorsAreFound_data();
  void comparedOperatorsAreFound();
  void longFilesAreFound_data();
  void longFilesAreFound();
  void repeatedTypesAreFound_data();
  void repeatedTypesAreFound();
  void missingPathsAreFound_data();
  void missingPathsAreFound();
  void unregisteredTestsAreFound_data();
  void unregisteredTestsAreFound();
};

void StructureTest::theTreeFollowsTheRules() {
  const QList<SourceFile> files = sourceFiles();
  // Fewer would mean that the tree was not found.
  QVERIFY(files.size() > 100);
  const QString cmakeLists = contents("tests/CMakeLists.txt");
  const QSet<QString> operators = operatorNames();
  QSet<QString> paths;
  for (const SourceFile& file : files) paths << file.path;
  QStringList offences;
  for (const SourceFile& file : files) {
    offences << qtIncludes(file) << upwardIncludes(file) << messageIncludes(file)
             << applicationIncludes(file) << widgetLayerIncludes(file)
             << comparedOperators(file, operators) << longFile(file) << missingPaths(file, paths)
             << unregisteredTest(file, cmakeLists);
  }
  offences << repeatedTypes(files);
  QVERIFY2(offences.isEmpty(), qPrintable("\n" + offences.join('\n')));
}

void StructureTest::qtIsFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("offences");
  const QStringList inLine2{"core/base/error.h:2: includes Qt: QString"};
  QTest::newRow("class") << "core/base/error.h"
                         << "\n#include <QString>\n"
                         << inLine2;
  QTest::newRow("quotes and spaces") << "core/base/error.h"
                                     << "\n # include \"QString\"" << inLine2;
  QTest::newRow("module") << "app/cli/main.cpp"
                          << "#include <QtCore/QFile>"
                          << QStringList{"app/cli/main.cpp:1: includes Qt: QtCore/QFile"};
  QTest::newRow("whole module") << "app/cli/main.cpp"
                                << "#include <QtTest>"
                                << QStringList{"app/cli/main.cpp:1: includes Qt: QtTest"};
  QTest::newRow("old header") << "core/base/a.cpp"
                              << "#include <qobject.h>"
                              << QStringList{"core/base/a.cpp:1: includes Qt: qobject.h"};
  QTest::newRow("allowed in the window") << "app/gui/main.cpp"
                                         << "#include <QString>" << QStringList{};
  QTest::newRow("our own quant/") << "core/engine/plan.h"
                                  << "#include \"quant/quant_type.h\"" << QStringList{};
  QTest::newRow("in prose") << "core/base/error.h"
                            << "// as QString, #include <QString>" << QStringList{};
}

void StructureTest::qtIsFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(QStringList, offences);
  QCOMPARE(qtIncludes({path, text}), offences);
}

void StructureTest::upwardIncludesAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("offences");
  QTest::newRow("next folder") << "core/tensor/tensor.h"
                               << "#include \"quant/quant_type.h\""
                               << QStringList{
                                      "core/tensor/tensor.h:1: includes from below it: "
                                      "quant/quant_type.h"};
  QTest::newRow("in a sub-folder") << "core/engine/operators/conv.cpp"
                                   << "#include <cmath>\n#include \"jobs/load.h\""
                                   << QStringList{
                                          "core/engine/operators/conv.cpp:2: includes from "
                                          "below it: jobs/load.h"};
  QTest::newRow("own folder") << "core/quant/a.cpp"
                              << "#include \"quant/a.h\"" << QStringList{};
  QTest::newRow("above") << "core/jobs/a.cpp"
                         << "#include \"base/error.h\"" << QStringList{};
  QTest::newRow("a library's folder of the same name") << "core/base/a.cpp"
                                                       << "#include <onnx/x.h>" << QStringList{};
  QTest::newRow("unknown folder") << "core/misc/a.cpp"
                                  << ""
                                  << QStringList{
                                         "core/misc/a.cpp:1: core/misc is not in the "
                                         "design's list"};
  QTest::newRow("outside core") << "tests/base/a.cpp"
                                << "#include \"jobs/load.h\"" << QStringList{};
}

void StructureTest::upwardIncludesAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(QStringList, offences);
  QCOMPARE(upwardIncludes({path, text}), offences);
}

void StructureTest::messageHeadersAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("allowed");
  QTest::newRow("libonnx") << "core/graph/a.cpp"
                           << "#include <onnx/onnx_pb.h>" << false;
  QTest::newRow("another of libonnx") << "app/cli/a.cpp"
                                      << "#include <onnx/checker.h>" << false;
  QTest::newRow("generated") << "core/export/a.cpp"
                             << "#include \"onnx/onnx-ml.pb.h\"" << false;
  QTest::newRow("protobuf") << "core/jobs/a.h"
                            << "#include <google/protobuf/message.h>" << false;
  QTest::newRow("our own onnx/") << "core/jobs/a.h"
                                 << "#include \"onnx/import.h\"" << true;
  QTest::newRow("where it belongs") << "core/onnx/a.h"
                                    << "#include <onnx/onnx_pb.h>" << true;
}

void StructureTest::messageHeadersAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(bool, allowed);
  QCOMPARE(messageIncludes({path, text}).isEmpty(), allowed);
}

void StructureTest::applicationIncludesAreFound() {
  const QString text = "#include \"app/gui/session.h\"";
  QCOMPARE(applicationIncludes({"widgets/look/theme.cpp", text}),
           QStringList{"widgets/look/theme.cpp:1: includes from app/: app/gui/session.h"});
  QCOMPARE(applicationIncludes({"app/gui/main.cpp", text}), QStringList());
}

void StructureTest::widgetLayersAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("include");
  QTest::addColumn<bool>("allowed");
  QTest::newRow("a layer above") << "widgets/charts/plot.cpp"
                                 << "widgets/look/theme.h" << true;
  QTest::newRow("a layer below") << "widgets/look/theme.cpp"
                                 << "widgets/charts/plot.h" << false;
  QTest::newRow("its own folder") << "widgets/heatmap/heatmap_view.cpp"
                                  << "widgets/heatmap/heatmap_data.h" << true;
  QTest::newRow("another view") << "widgets/outline/outline_model.cpp"
                                << "widgets/layers/layers_model.h" << false;
  QTest::newRow("the shell") << "widgets/heatmap/heatmap_view.cpp"
                             << "widgets/shell/message_bar.h" << false;
  QTest::newRow("a part of its folder") << "widgets/graph/graph_view.cpp"
                                        << "widgets/graph/canvas/minimap.h" << true;
  QTest::newRow("a part of its folder that stands before")
      << "widgets/graph/canvas/minimap.cpp"
      << "widgets/graph/drawing/graph_scene.h" << true;
  QTest::newRow("a part of its folder that stands behind")
      << "widgets/graph/drawing/graph_scene.cpp"
      << "widgets/graph/canvas/minimap.h" << false;
  QTest::newRow("from a part to the folder itself") << "widgets/graph/canvas/minimap.cpp"
                                                    << "widgets/graph/graph_view.h" << false;
  QTest::newRow("a folder that is not listed") << "widgets/misc/a.cpp"
                                               << "widgets/look/theme.h" << false;
  QTest::newRow("a part that is not listed") << "widgets/graph/misc/a.cpp"
                                             << "widgets/look/theme.h" << false;
  QTest::newRow("an include that is not listed") << "widgets/graph/graph_view.cpp"
                                                 << "widgets/misc/a.h" << false;
  QTest::newRow("the core") << "widgets/look/text.cpp"
                            << "jobs/analysis_snapshot.h" << true;
  QTest::newRow("the window") << "app/gui/main_window.cpp"
                              << "widgets/graph/graph_view.h" << true;
}

void StructureTest::widgetLayersAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, include);
  QFETCH(bool, allowed);
  QCOMPARE(widgetLayerIncludes({path, "#include \"" + include + "\""}).isEmpty(), allowed);
}

void StructureTest::comparedOperatorsAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("found");
  const QString detector("core/detectors/a.cpp");
  QTest::newRow("equal") << detector << R"(if (node.op == "Conv"))"
                         << "Conv";
  QTest::newRow("different") << detector << R"(if (node.op != "Gemm"))"
                             << "Gemm";
  QTest::newRow("the other way round") << detector << R"(if ("Add" == node.op))"
                                       << "Add";
  QTest::newRow("beginning") << detector << R"(node.op.starts_with("Conv"))"
                             << "Conv";
  QTest::newRow("member of a list") << detector << R"(find(list, "Relu"))"
                                    << "Relu";
  QTest::newRow("a list, over two lines") << detector << "{\"Own\",\n \"MatMul\"}"
                                          << "MatMul";
  QTest::newRow("a constant") << detector << R"(kLinear = "Gemm";)"
                              << "Gemm";
  QTest::newRow("in the window") << "widgets/graph/a.cpp"
                                 << R"(op == QStringLiteral("Conv"))"
                                 << "Conv";
  QTest::newRow("in the table") << "core/graph/traits/a.cpp"
                                << R"(op == "Conv")"
                                << "";
  QTest::newRow("in a kernel") << "core/engine/operators/pooling/a.cpp"
                               << R"(op == "MaxPool")"
                               << "";
  QTest::newRow("in the importer") << "core/onnx/a.cpp"
                                   << R"(op == "Conv")"
                                   << "";
  QTest::newRow("no operator") << detector << R"(key == "nodes")"
                               << "";
  QTest::newRow("a node that is made") << "core/bench/a.cpp"
                                       << R"(node.op = "MatMul";)"
                                       << "";
  QTest::newRow("in prose") << detector << R"(// where op == "Conv")"
                            << "";
}

void StructureTest::comparedOperatorsAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(QString, found);
  const QStringList offences = comparedOperators({path, text}, operatorNames());
  QCOMPARE(offences.size(), found.isEmpty() ? 0 : 1);
  if (!found.isEmpty()) QVERIFY(offences.front().endsWith("the operator " + found));
}

void StructureTest::longFilesAreFound_data() {
  QTest::addColumn<int>("lines");
  QTest::addColumn<bool>("allowed");
  QTest::newRow("at the limit") << 500 << true;
  QTest::newRow("one more") << 501 << false;
}

void StructureTest::longFilesAreFound() {
  QFETCH(int, lines);
  QFETCH(bool, allowed);
  QCOMPARE(longFile({"core/base/a.cpp", QString("\n").repeated(lines)}).isEmpty(), allowed);
}

void StructureTest::repeatedTypesAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("offences");
  const QString path = "widgets/copy/b.h";
  const QStringList taken{path + ":2: defines Picture as core/export/a.h does"};
  QTest::newRow("struct") << path << "\nstruct Picture {\n};\n" << taken;
  QTest::newRow("derived") << path << "\nclass Picture final : public Base {\n};\n" << taken;
  QTest::newRow("enum") << path << "\nenum class Picture : int { A };\n" << taken;
  QTest::newRow("declared alone") << path << "class Picture;\n" << QStringList{};
  QTest::newRow("inside of another") << path << "struct B {\n  struct Picture {\n};\n};\n"
                                     << QStringList{};
  QTest::newRow("another name") << path << "struct Pictures {\n};\n" << QStringList{};
  QTest::newRow("of one file alone") << "widgets/copy/b.cpp"
                                     << "struct Picture {\n};\n"
                                     << QStringList{};
  QTest::newRow("of a test") << "tests/copy/b.h"
                             << "struct Picture {\n};\n"
                             << QStringList{};
}

void StructureTest::repeatedTypesAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(QStringList, offences);
  const SourceFile first{"core/export/a.h", "class Picture {\n};\n"};
  QCOMPARE(repeatedTypes({first, {path, text}}), offences);
  // Programs of their own.
  QVERIFY(repeatedTypes({{"app/cli/a.h", first.text}, {"widgets/b.h", first.text}}).isEmpty());
}

void StructureTest::missingPathsAreFound_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("missing");
  QTest::newRow("seen from core") << "/// see quant/grids/grid.h" << QString();
  QTest::newRow("seen from the top") << "x = 1;  // see core/quant/grids/grid.h." << QString();
  QTest::newRow("seen from tests") << "// support/test_main.h" << QString();
  QTest::newRow("with its source") << "// (quant/grids/grid.*)" << QString();
  QTest::newRow("before it moved") << "/// see quant/grid.h, and others"
                                   << "quant/grid.h";
  QTest::newRow("both moved") << "// core/quant/grid.*"
                              << "core/quant/grid.*";
  QTest::newRow("of a library") << "// included after hwy/highway.h" << QString();
  QTest::newRow("a name alone") << "// see grid.h" << QString();
  QTest::newRow("an address") << "// https://example.com/quant/grid.h" << QString();
  QTest::newRow("in quotes") << QString("text = %1// quant/grid.h").arg('"') << QString();
  QTest::newRow("an include") << R"(#include "quant/grid.h")" << QString();
}

void StructureTest::missingPathsAreFound() {
  QFETCH(QString, line);
  QFETCH(QString, missing);
  const QSet<QString> paths{"core/quant/grids/grid.h", "tests/support/test_main.h"};
  QStringList expected;
  if (!missing.isEmpty()) {
    expected << "core/base/a.h:2: names " + missing + ", which is not there";
  }
  QCOMPARE(missingPaths({"core/base/a.h", "\n" + line + "\n"}, paths), expected);
}

void StructureTest::unregisteredTestsAreFound_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("cmakeLists");
  QTest::addColumn<QStringList>("offences");
  const QString text = "class A {};\nQUANTSCOPE_TEST(A)\n";
  const QString path = "tests/base/test_a.cpp";
  const QStringList missing{path + ":1: is not in tests/CMakeLists.txt"};
  QTest::newRow("registered") << path << text << "quantscope_test(base base/test_a.cpp)"
                              << QStringList{};
  QTest::newRow("absent") << path << text << "quantscope_test(base base/test_b.cpp)" << missing;
  QTest::newRow("only part of a name")
      << path << text << "quantscope_test(base xbase/test_a.cpp)" << missing;
  QTest::newRow("in a comment") << path << text << "# base/test_a.cpp\n" << missing;
  QTest::newRow("without a class")
      << path << "class A {};\n"
      << "quantscope_test(b base/test_a.cpp)" << QStringList{path + ":1: registers no test class"};
  QTest::newRow("a helper") << "tests/base/fixture.cpp"
                            << ""
                            << "" << QStringList{};
}

void StructureTest::unregisteredTestsAreFound() {
  QFETCH(QString, path);
  QFETCH(QString, text);
  QFETCH(QString, cmakeLists);
  QFETCH(QStringList, offences);
  QCOMPARE(unregisteredTest({path, text}, cmakeLists), offences);
}

QUANTSCOPE_TEST(StructureTest)
#include "test_structure.moc"

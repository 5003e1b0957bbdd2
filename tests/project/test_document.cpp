#include <QtTest>
#include <random>

#include "precision/edits/edit_precision.h"
#include "project/document.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

Configuration start() {
  return parseConfiguration(
      R"({"quantscope": 1, "backend": "qnnpack", "nodes": {"a": "fp32"},
          "encodings": {"w": {"type": "int8", "scale": [0.1]}}})",
      "start");
}

Configuration withBackend(const char* backend) {
  return setBackend(backend).apply(start());
}

ConfigEdit rangeOf(const char* node, float high) {
  NodePrecision precision = defaultPrecision();
  precision.activation.range = Range{0, high, false};
  return {"drag", {{.place = ConfigStep::Entry::Node, .name = node, .value = precision}}};
}

Document::Edit anyEdit(std::mt19937& random) {
  const std::string names[] = {"a", "b", "c"};
  const std::string& node = names[random() % 3];
  switch (random() % 9) {
    case 6: {
      const ConfigEdit backend = setBackend(random() % 2 == 0 ? "x86" : "generic");
      return Naming{"keep " + node, {{node, std::nullopt}}, {{node, start()}}, backend};
    }
    case 7:
      return DataChoice{"use " + node, {}, {.data = "/" + node, .settings = {.batch = 3}}};
    case 8:
      return RepairDecision{"try " + node, {.configuration = node, .heldOutDb = 3}};
    case 0:
      return Dismissal{"outlier/" + node, random() % 2 == 0};
    case 1:
      return setBackend(random() % 2 == 0 ? "x86" : "generic");
    case 2:
      return equalize(node, {static_cast<float>(1 + random() % 3)});
    case 3:
      return clearEncoding({"w", {}});
    case 4:
      return ConfigEdit{"clear", {{.place = ConfigStep::Entry::Node, .name = node}}};
    default:
      return rangeOf(node.c_str(), static_cast<float>(1 + random() % 3));
  }
}

std::string textOf(const Document& document) {
  return toJson(document);
}

}  // namespace

/// The journal of what was done: undone and done again, written and read.
class DocumentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyEditIsUndoneAndDoneAgain();
  void anEditTakesThePlaceOfWhatWasUndone();
  void whatChangesNothingIsNotNoted();
  void aDragIsOneEdit();
  void itIsWrittenAndReadAgain();
  void dataIsChosenAndTakenBack();
  void theBackendsFileFollowsTheConfiguration();
  void backendsMoveInAllConfigurations();
  void aStepBetweenTwoPlacesOfOneBackendGoes();
  void aTrainingThatWaitsStays();
  void theLastEditIsDropped();
  void damagedTextIsRefused_data();
  void damagedTextIsRefused();
};

void DocumentTest::everyEditIsUndoneAndDoneAgain() {
  std::mt19937 random(3);
  Document document(start());
  using State = std::tuple<Configuration, std::set<std::string>, DecidedRepairs>;
  std::vector<State> states;
  const auto note = [&] {
    states.emplace_back(document.configuration(), document.dismissed(), document.repairs());
  };
  note();
  while (states.size() < 200) {
    if (document.apply(anyEdit(random))) note();
  }
  const auto verify = [&] {
    const auto& [config, dismissed, repairs] = states[document.position()];
    QVERIFY(document.configuration() == config);
    QCOMPARE(toJson(document.configuration()), toJson(config));
    QVERIFY(document.dismissed() == dismissed);
    QVERIFY(document.repairs() == repairs);
  };
  while (document.canUndo()) {
    document.undo();
    verify();
  }
  QCOMPARE(document.position(), std::size_t{0});
  while (document.canRedo()) {
    document.redo();
    verify();
  }
  QCOMPARE(document.position(), states.size() - 1);
  for (const std::size_t position : {std::size_t{17}, std::size_t{150}, std::size_t{1000}}) {
    document.moveTo(position);
    verify();
  }
}

void DocumentTest::anEditTakesThePlaceOfWhatWasUndone() {
  Document document(start());
  document.apply(setBackend("x86"));
  document.apply(setBackend("generic"));
  document.undo();
  document.apply(Dismissal{"outlier/a"});
  QVERIFY(!document.canRedo());
  QCOMPARE(document.journal().size(), std::size_t{2});
  QCOMPARE(sentenceOf(document.journal()[1]), std::string("dismiss outlier/a"));
  QCOMPARE(document.configuration().precision->backend, std::string("x86"));
}

void DocumentTest::whatChangesNothingIsNotNoted() {
  Document document(start());
  QVERIFY(!document.apply(setBackend("qnnpack")));
  QVERIFY(!document.apply(Dismissal{"outlier/a", false}));
  QVERIFY(!document.canUndo());
}

void DocumentTest::aDragIsOneEdit() {
  Document document(start());
  document.apply(setBackend("x86"));
  for (const float high : {1.F, 2.F, 2.5F}) document.applyContinued(rangeOf("b", high));
  QCOMPARE(document.journal().size(), std::size_t{2});
  QVERIFY(document.configuration().precision->nodes[1].second.activation.range->high == 2.5F);
  document.applyContinued(rangeOf("c", 1));
  QCOMPARE(document.journal().size(), std::size_t{3});
  document.undo();
  document.undo();
  QCOMPARE(document.configuration().precision->nodes.size(), std::size_t{1});
  // Back to where the drag began: nothing was done.
  document.apply(rangeOf("a", 1));
  document.apply(rangeOf("a", 3));
  document.applyContinued(rangeOf("a", 1));
  QCOMPARE(document.journal().size(), std::size_t{2});
}

void DocumentTest::itIsWrittenAndReadAgain() {
  std::mt19937 random(5);
  Document document(start());
  document.setFiles({.model = {"/models/net.onnx", "0123"}, .data = {"data.npz", ""}});
  for (int i = 0; i < 60; ++i) {
    document.apply(anyEdit(random));
    if (i == 20) document.keep("A", document.configuration());
    if (i == 40) document.keep("B", document.configuration());
  }
  document.forget("B");
  document.setRepairs({.configuration = "0123",
                       .heldOutDb = 12.1,
                       .steps = {{.step = "equalize",
                                  .what = "both ways",
                                  .way = 1,
                                  .only = {"a"},
                                  .kept = true,
                                  .reason = "it was chosen",
                                  .gainFitDb = 1.25,
                                  .gainHeldOutDb = {}}}});
  document.moveTo(document.position() - 7);
  const std::string text = textOf(document);
  Document again = parseDocument(text, "again");
  QVERIFY(again == document);
  QCOMPARE(textOf(again), text);
  document.moveTo(1000);
  again.moveTo(1000);
  QVERIFY(again == document);
  document.moveTo(0);
  again.moveTo(0);
  QVERIFY(again.configuration() == start());
}

// Files that are known keep what is known of them, others have a path alone.
void DocumentTest::dataIsChosenAndTakenBack() {
  Document document(start());
  const DocumentFiles files{.model = {"/net.onnx", "01"}, .data = {"/a.npz", "23", "45"}};
  document.setFiles(files);
  ChosenData other = document.data();
  QCOMPARE(other.data, std::string("/a.npz"));
  other.settings.batch = 4;
  QVERIFY(document.apply(DataChoice{"use batches of 4", document.data(), other}));
  QVERIFY(document.files() == files);
  QCOMPARE(document.settings().batch, std::size_t{4});
  ChosenData third = other;
  third.data = "/b.npz";
  third.labels = "/labels.csv";
  QVERIFY(document.apply(DataChoice{"use b.npz as data", document.data(), third}));
  QVERIFY((document.files().data == FileReference{"/b.npz", {}, {}}));
  QCOMPARE(document.files().labels.path, std::string("/labels.csv"));
  QVERIFY(!document.apply(DataChoice{"use b.npz as data", third, third}));
  document.undo();
  QCOMPARE(document.files().data.path, std::string("/a.npz"));
  QVERIFY(document.files().labels.empty());
  document.undo();
  QCOMPARE(document.settings().batch, std::size_t{1});
  QCOMPARE(document.files().model.contentId, std::string("01"));
}

void DocumentTest::theBackendsFileFollowsTheConfiguration() {
  Document document(start());
  QVERIFY(document.files().backend.empty());
  document.apply(setBackend("/one/mine.json"));
  QCOMPARE(document.files().backend.path, std::string("/one/mine.json"));
  const FileReference known{"/one/mine.json", "01", "02"};
  document.setFiles({.backend = known});
  QVERIFY(document.files().backend == known);
  document.apply(rangeOf("a", 2));
  QVERIFY(document.files().backend == known);
  document.undo();
  document.undo();
  QVERIFY(document.files().backend.empty());
  document.setFiles({.backend = known});  // of another configuration
  QVERIFY(document.files().backend.empty());
  document.redo();
  QVERIFY((document.files().backend == FileReference{"/one/mine.json", {}, {}}));
  QVERIFY(parseDocument(toJson(document), "again").files() == document.files());
}

void DocumentTest::backendsMoveInAllConfigurations() {
  const auto documentWith = [](const char* first, const char* second) {
    Document document(withBackend(first));
    document.apply(setBackend("x86"));
    document.apply(
        Naming{"keep", {{"b", std::nullopt}}, {{"b", withBackend(first)}}, setBackend(second)});
    document.apply(rangeOf("a", 2));
    document.apply(setBackend("generic"));
    document.undo();
    return document;
  };
  Document document = documentWith("/one/mine.json", "/one/other.json");
  const std::vector<std::uint64_t> serials = document.serials();
  document.moveFiles(
      [](const std::string& path) { return path == "/one/mine.json" ? "/two/mine.json" : path; });
  QVERIFY(document == documentWith("/two/mine.json", "/one/other.json"));
  QCOMPARE(document.files().backend.path, std::string("/one/other.json"));
  // The step that names it counts as a new one, the others do not.
  QCOMPARE(document.serials()[0], serials[0]);
  QVERIFY(document.serials()[1] != serials[1]);
  QCOMPARE(document.serials()[2], serials[2]);
  document.moveTo(0);
  QCOMPARE(document.configuration().precision->backend, std::string("/two/mine.json"));
  document.moveTo(4);
  QVERIFY(parseDocument(toJson(document), "again") == document);
}

void DocumentTest::aStepBetweenTwoPlacesOfOneBackendGoes() {
  Document document(withBackend("/one/mine.json"));
  document.apply(setBackend("/two/mine.json"));
  document.apply(rangeOf("a", 2));
  document.apply(setBackend("/one/mine.json"));
  document.undo();
  document.moveFiles([](const std::string& /*path*/) { return "/three/mine.json"; });
  QCOMPARE(document.journal().size(), std::size_t{1});
  QCOMPARE(document.position(), std::size_t{1});
  QVERIFY(parseDocument(toJson(document), "again") == document);
  document.undo();
  QVERIFY(document.configuration() == withBackend("/three/mine.json"));
  document.redo();
  QCOMPARE(document.files().backend.path, std::string("/three/mine.json"));
}

void DocumentTest::aTrainingThatWaitsStays() {
  Document document(start());
  StoppedTraining half{std::make_shared<const std::string>("half")};
  half.choices.steps = 20;
  document.setRepairs({.configuration = {}, .unfinished = half});
  document.apply(RepairDecision{"try equalize", {.configuration = "0123", .heldOutDb = 1}});
  QCOMPARE(document.repairs().configuration, std::string("0123"));
  QVERIFY(document.repairs().unfinished == half);
  document.undo();
  QCOMPARE(document.repairs().configuration, std::string());
  QVERIFY(document.repairs().unfinished == half);
}

void DocumentTest::theLastEditIsDropped() {
  Document document(start());
  document.apply(setBackend("x86"));
  document.apply(setBackend("generic"));
  document.undo();
  document.dropLast();  // not the last of all
  QCOMPARE(document.journal().size(), std::size_t{2});
  document.redo();
  document.dropLast();
  QCOMPARE(document.journal().size(), std::size_t{1});
  QCOMPARE(document.configuration().precision->backend, std::string("x86"));
}

void DocumentTest::damagedTextIsRefused_data() {
  QTest::addColumn<QString>("from");
  QTest::addColumn<QString>("to");
  QTest::addColumn<QString>("told");
  const auto row = [](const char* name, const char* from, const char* to, const char* told) {
    QTest::newRow(name) << QString(from) << QString(to) << QString(told);
  };
  row("version", R"("quantscope_document": 1)", R"("quantscope_document": 2)",
      "the document is of another version");
  row("unknown key", R"("position")", R"("place")", "has the unknown key 'place'");
  row("position", R"("position": 2)", R"("position": 3)", "'position' is outside of the journal");
  row("an edit without effect", R"("value": "x86")", R"("value": "qnnpack")",
      "'journal[0]' changes nothing");
  row("cut off", "}\n", "", "the document is not JSON");
}

void DocumentTest::damagedTextIsRefused() {
  QFETCH(QString, from);
  QFETCH(QString, to);
  QFETCH(QString, told);
  Document document(start());
  document.apply(setBackend("x86"));
  document.apply(Dismissal{"outlier/a"});
  QString damaged = QString::fromStdString(textOf(document));
  QVERIFY(damaged.contains(from));
  damaged = to.isEmpty() ? damaged.chopped(2) : damaged.replace(from, to);
  VERIFY_ERROR(parseDocument(damaged.toStdString(), "doc"), told.toStdString());
}

QUANTSCOPE_TEST(DocumentTest)
#include "test_document.moc"

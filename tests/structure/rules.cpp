#include "structure/rules.h"

#include <QHash>
#include <QRegularExpression>
#include <algorithm>

namespace quantscope::test {
namespace {

constexpr int kMaxLines = 500;

struct Include {
  int line;
  QString target;
  bool angled;
};

QList<Include> includesOf(const QString& text) {
  static const QRegularExpression directive(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  QList<Include> includes;
  const QStringList lines = text.split('\n');
  for (int i = 0; i < lines.size(); ++i) {
    const QRegularExpressionMatch match = directive.match(lines[i]);
    if (match.hasMatch()) includes << Include{i + 1, match.captured(2), match.captured(1) == "<"};
  }
  return includes;
}

QString offence(const SourceFile& file, const Include& include, const QString& what) {
  return QString("%1:%2: %3 %4").arg(file.path).arg(include.line).arg(what, include.target);
}

// <QString>, <QtCore/QString>, "QFile" and the old form <qstring.h>.
bool isQt(const Include& include) {
  static const QRegularExpression modern("^Q(t[A-Z]|[A-Z])[A-Za-z0-9]*(/|$)|^QtTest$");
  static const QRegularExpression old("^q[a-z0-9]+\\.h$");
  return modern.match(include.target).hasMatch() ||
         (include.angled && old.match(include.target).hasMatch());
}

bool isMessageHeader(const Include& include) {
  return include.target.startsWith("google/protobuf/") || include.target.endsWith("pb.h") ||
         (include.angled && include.target.startsWith("onnx/"));
}

// Where the project says what an operator is, and where a graph of several is looked for by name.
bool mayNameOperators(const QString& path) {
  static const QStringList folders{"core/graph/traits/",
                                   "core/onnx/",
                                   "core/engine/operators/",
                                   "core/engine/gradients/",
                                   "core/precision/layers/float_regions.",
                                   "core/detectors/model_report_fusion.",
                                   "tests/"};
  return std::ranges::any_of(folders,
                             [&](const QString& folder) { return path.startsWith(folder); });
}

// Literals that a name is compared with, that are listed, or that a constant is made of.
const QList<QRegularExpression>& namePlaces() {
  static const QString name(R"re((?:QStringLiteral\(|QLatin1String(?:View)?\(|u)?"(\w+)")re");
  static const QList<QRegularExpression> places{
      QRegularExpression(R"re([=!]=\s*)re" + name), QRegularExpression(name + R"re(\)?\s*[=!]=)re"),
      QRegularExpression(R"re((?:starts_with|contains|find|count|startsWith)\([^()"]*)re" + name),
      QRegularExpression(R"re(\bk[A-Z]\w*(?:\[\])?\s*[={]+\s*)re" + name),
      QRegularExpression(R"re("\w+"\s*,\s*)re" + name)};
  return places;
}

}  // namespace

const QStringList& coreFolders() {
  static const QStringList folders{"base",     "tensor",    "quant",   "kernels",     "graph",
                                   "layout",   "onnx",      "engine",  "calibration", "precision",
                                   "analysis", "detectors", "compare", "search",      "repair",
                                   "training", "export",    "project", "jobs",        "bench"};
  return folders;
}

QStringList qtIncludes(const SourceFile& file) {
  QStringList found;
  if (!file.path.startsWith("core/") && !file.path.startsWith("app/cli/")) return found;
  for (const Include& include : includesOf(file.text)) {
    if (isQt(include)) found << offence(file, include, "includes Qt:");
  }
  return found;
}

QStringList upwardIncludes(const SourceFile& file) {
  QStringList found;
  if (!file.path.startsWith("core/")) return found;
  const QString folder = file.path.section('/', 1, 1);
  const qsizetype rank = coreFolders().indexOf(folder);
  if (rank < 0)
    return {QString("%1:1: core/%2 is not in the design's list").arg(file.path, folder)};
  for (const Include& include : includesOf(file.text)) {
    const qsizetype used = coreFolders().indexOf(include.target.section('/', 0, 0));
    if (!include.angled && used > rank) found << offence(file, include, "includes from below it:");
  }
  return found;
}

QStringList messageIncludes(const SourceFile& file) {
  QStringList found;
  if (file.path.startsWith("core/onnx/") || file.path.startsWith("tests/onnx/")) return found;
  for (const Include& include : includesOf(file.text)) {
    if (isMessageHeader(include)) found << offence(file, include, "includes protobuf:");
  }
  return found;
}

QStringList applicationIncludes(const SourceFile& file) {
  if (!file.path.startsWith("widgets/")) return {};
  QStringList found;
  for (const Include& include : includesOf(file.text)) {
    if (include.target.startsWith("app/")) found << offence(file, include, "includes from app/:");
  }
  return found;
}

const QList<QStringList>& widgetLayers() {
  static const QList<QStringList> layers{
      {"look"},
      {"background"},
      {"view"},
      {"copy"},
      {"words"},
      {"controls"},
      {"tables"},
      {"charts"},
      {"samples"},
      {"precision"},
      {"compare", "configuration", "data", "export", "findings", "graph", "guide", "heatmap",
       "inspector", "layers", "outline", "ranges", "repair", "sensitivity"},
      {"models"},
      {"shell"}};
  return layers;
}

QStringList widgetSubFolders(const QString& folder) {
  if (folder == "graph") return {"drawing", "painting", "canvas"};
  if (folder == "inspector") return {"parts", "quantized", "measured", "network"};
  return {};
}

namespace {

// "widgets/graph/canvas/minimap.h" in parts; `inner` is empty for a file of the folder itself.
struct WidgetPlace {
  explicit WidgetPlace(const QString& path)
      : folder(path.section('/', 1, 1)),
        inner(path.count('/') > 2 ? path.section('/', 2, 2) : QString()) {
    for (qsizetype i = 0; i < widgetLayers().size(); ++i) {
      if (widgetLayers()[i].contains(folder)) layer = i;
    }
    const QStringList subFolders = widgetSubFolders(folder);
    place = inner.isEmpty() ? subFolders.size() : subFolders.indexOf(inner);
  }
  bool known() const { return layer >= 0 && place >= 0; }

  QString folder;
  QString inner;
  qsizetype layer = -1;
  qsizetype place = -1;  // among the folders inside its own
};

}  // namespace

QStringList widgetLayerIncludes(const SourceFile& file) {
  if (!file.path.startsWith("widgets/")) return {};
  const WidgetPlace own(file.path);
  if (!own.known()) {
    return {QString("%1:1: %2 is not in the list of layers")
                .arg(file.path, file.path.section('/', 0, -2))};
  }
  QStringList found;
  for (const Include& include : includesOf(file.text)) {
    if (include.angled || !include.target.startsWith("widgets/")) continue;
    const WidgetPlace used(include.target);
    const bool allowed = used.known() && (used.folder == own.folder ? used.place <= own.place
                                                                    : used.layer < own.layer);
    if (!allowed) found << offence(file, include, "includes from beside or below it:");
  }
  return found;
}

QStringList comparedOperators(const SourceFile& file, const QSet<QString>& operators) {
  if (mayNameOperators(file.path)) return {};
  static const QRegularExpression comment("//[^\n]*");
  const QString text = QString(file.text).remove(comment);
  QStringList found;
  for (const QRegularExpression& place : namePlaces()) {
    QRegularExpressionMatchIterator matches = place.globalMatch(text);
    while (matches.hasNext()) {
      const QRegularExpressionMatch match = matches.next();
      if (!operators.contains(match.captured(1))) continue;
      const qsizetype line = text.left(match.capturedStart(1)).count('\n') + 1;
      found << QString("%1:%2: compares with the operator %3")
                   .arg(file.path)
                   .arg(line)
                   .arg(match.captured(1));
    }
  }
  return found;
}

QStringList longFile(const SourceFile& file) {
  const qsizetype lines = file.text.count('\n');
  if (lines <= kMaxLines) return {};
  return {QString("%1:%2: has more than %3 lines").arg(file.path).arg(lines).arg(kMaxLines)};
}

namespace {

// Places that paths in comments are seen from.
const QStringList& pathRoots() {
  static const QStringList roots{"", "core/", "app/", "tests/"};
  return roots;
}

// What follows "//" outside of a text in quotes.
QString commentIn(const QString& line) {
  for (qsizetype at = line.indexOf("//"); at >= 0; at = line.indexOf("//", at + 1)) {
    if (line.left(at).count('"') % 2 == 0) return line.mid(at);
  }
  return {};
}

}  // namespace

QStringList missingPaths(const SourceFile& file, const QSet<QString>& paths) {
  static const QRegularExpression named(
      R"((?<![\w/.<-])((?:[a-z][a-z_0-9]*/)+)([a-z_0-9]+)\.(h|cpp|\*)(?!\w))");
  QSet<QString> folders;
  for (const QString& path : paths) {
    for (const QString& root : pathRoots()) {
      if (path.startsWith(root)) folders << path.mid(root.size()).section('/', 0, 0);
    }
  }
  QStringList found;
  const QStringList lines = file.text.split('\n');
  for (int i = 0; i < lines.size(); ++i) {
    QRegularExpressionMatchIterator matches = named.globalMatch(commentIn(lines[i]));
    while (matches.hasNext()) {
      const QRegularExpressionMatch match = matches.next();
      const QString ending = match.captured(3) == "*" ? "h" : match.captured(3);
      const QString path = match.captured(1) + match.captured(2) + '.' + ending;
      const bool known = std::ranges::any_of(
          pathRoots(), [&](const QString& root) { return paths.contains(root + path); });
      if (known || !folders.contains(path.section('/', 0, 0))) continue;
      found << QString("%1:%2: names %3, which is not there")
                   .arg(file.path)
                   .arg(i + 1)
                   .arg(match.captured());
    }
  }
  return found;
}

QStringList repeatedTypes(const QList<SourceFile>& files) {
  static const QRegularExpression definition(
      R"(^(?:class|struct|enum class|enum) (\w+)(?: final)?(?: :(?!:)[^;{]*)? \{)",
      QRegularExpression::MultilineOption);
  QStringList found;
  for (const char* program : {"app/gui/", "app/cli/"}) {
    QHash<QString, QString> known;
    for (const SourceFile& file : files) {
      const bool linked = file.path.startsWith("core/") || file.path.startsWith(program) ||
                          (file.path.startsWith("widgets/") && program == QString("app/gui/"));
      if (!linked || !file.path.endsWith(".h")) continue;
      QRegularExpressionMatchIterator matches = definition.globalMatch(file.text);
      while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        const QString name = match.captured(1);
        if (known.contains(name)) {
          const qsizetype line = file.text.left(match.capturedStart()).count('\n') + 1;
          found << QString("%1:%2: defines %3 as %4 does")
                       .arg(file.path)
                       .arg(line)
                       .arg(name, known[name]);
        }
        known.insert(name, file.path);
      }
    }
  }
  found.removeDuplicates();
  return found;
}

QStringList unregisteredTest(const SourceFile& file, const QString& cmakeLists) {
  if (!file.path.startsWith("tests/") || !file.path.section('/', -1).startsWith("test_") ||
      !file.path.endsWith(".cpp")) {
    return {};
  }
  // The shared main function and its header have a test's name but are none.
  if (file.path.startsWith("tests/support/")) return {};
  static const QRegularExpression comment("#[^\n]*");
  static const QRegularExpression separator("[\\s()]+");
  const QStringList words = QString(cmakeLists).remove(comment).split(separator);
  QStringList found;
  if (!words.contains(file.path.section('/', 1))) {
    found << file.path + ":1: is not in tests/CMakeLists.txt";
  }
  if (!file.text.contains("\nQUANTSCOPE_TEST(")) {
    found << file.path + ":1: registers no test class";
  }
  return found;
}

}  // namespace quantscope::test

#pragma once

#include <QSet>
#include <QString>
#include <QStringList>

namespace quantscope::test {

/// A source file: its path from the top of the tree, with '/', and what it holds.
struct SourceFile {
  QString path;
  QString text;
};

/// The folders of core/, each of which may use those before it.
const QStringList& coreFolders();

// Each rule gives one line per offence, "PATH:LINE: what", and nothing for a sound file.

/// core/ and app/cli know no Qt.
QStringList qtIncludes(const SourceFile& file);

/// A folder of core/ is in coreFolders() and includes none that stands behind it there.
QStringList upwardIncludes(const SourceFile& file);

/// Only core/onnx (and its tests) sees protobuf and the message classes made with it.
QStringList messageIncludes(const SourceFile& file);

/// widgets/ know nothing of the application that they are used in.
QStringList applicationIncludes(const SourceFile& file);

/// The folders of widgets/ in layers: each may use those of the layers before it, and none beside
/// it.
const QList<QStringList>& widgetLayers();
/// The folders inside `folder` of widgets/, each of which may use those before it; the folder's own
/// files may use all. Empty where it has none.
QStringList widgetSubFolders(const QString& folder);

/// A folder of widgets/ is in widgetLayers() and uses only what stands before it there; inside a
/// folder the same holds for widgetSubFolders().
QStringList widgetLayerIncludes(const SourceFile& file);

/// Only core/graph/traits, the importer, the kernels' families and the finders of patterns compare
/// an operator's name; the others ask operatorTraits(). `operators` are the names that count.
QStringList comparedOperators(const SourceFile& file, const QSet<QString>& operators);

/// No file has more than 500 lines.
QStringList longFile(const SourceFile& file);

/// No two headers of one program define types of one name: no compiler complains, but the linker
/// takes the constructor of one for the other. The window and the command line are programs of
/// their own.
QStringList repeatedTypes(const QList<SourceFile>& files);

/// A path of a source that a comment names is in the tree, seen from its top, from core/, app/ or
/// tests/; "name.*" stands for the header. `paths`: all sources. Paths of libraries do not count.
QStringList missingPaths(const SourceFile& file, const QSet<QString>& paths);

/// A test file is named in tests/CMakeLists.txt (outside comments) and registers its class.
QStringList unregisteredTest(const SourceFile& file, const QString& cmakeLists);

}  // namespace quantscope::test

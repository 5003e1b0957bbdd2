#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "jobs/computation_origin.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

/// cmake/HashSources.cmake: figures of two builds are told apart though their version is the same.
class SourceHashTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theOriginNamesTheBuild();
  void theHashFollowsNamesAndContents();
  void anUnchangedHashIsNotWrittenAgain();

 private:
  QByteArray headerOf(const QStringList& files) const;

  QTemporaryDir m_folder;
};

QByteArray SourceHashTest::headerOf(const QStringList& files) const {
  QString list;
  for (const QString& file : files) list += m_folder.filePath(file) + '\n';
  writeFile(m_folder, "list", list.toStdString());
  const QString header = m_folder.filePath("made/hash.h");
  const QString script = QUANTSCOPE_SOURCE_DIRECTORY "/cmake/HashSourcesNow.cmake";
  QProcess cmake;
  cmake.start(QUANTSCOPE_CMAKE, {"-DLIST=" + m_folder.filePath("list"), "-DROOT=" + m_folder.path(),
                                 "-DHEADER=" + header, "-P", script});
  if (!cmake.waitForFinished() || cmake.exitCode() != 0) return cmake.readAllStandardError();
  QFile file(header);
  return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

void SourceHashTest::theOriginNamesTheBuild() {
  const QString program = QString::fromStdString(programName());
  static const QRegularExpression named("^quantscope \\d+\\.\\d+\\.\\d+ \\(build [0-9a-f]{8}\\)$");
  QVERIFY2(named.match(program).hasMatch(), qPrintable(program));
  QVERIFY(computationOrigin().starts_with(programName() + "; "));
  QVERIFY(figuresOrigin().starts_with(programName() + "; "));
}

void SourceHashTest::theHashFollowsNamesAndContents() {
  writeFile(m_folder, "a.cpp", "int a;\n");
  writeFile(m_folder, "b.cpp", "int b;\n");
  const QByteArray both = headerOf({"a.cpp", "b.cpp"});
  static const QRegularExpression defined("#define QUANTSCOPE_SOURCE_HASH \"[0-9a-f]{8}\"\n");
  QVERIFY2(defined.match(QString::fromUtf8(both)).hasMatch(), both.constData());
  QVERIFY(headerOf({"a.cpp"}) != both);
  writeFile(m_folder, "b.cpp", "int b = 1;\n");
  QVERIFY(headerOf({"a.cpp", "b.cpp"}) != both);
  writeFile(m_folder, "b.cpp", "int b;\n");
  QCOMPARE(headerOf({"a.cpp", "b.cpp"}), both);
  // Another name with the same content.
  writeFile(m_folder, "c.cpp", "int b;\n");
  QVERIFY(headerOf({"a.cpp", "c.cpp"}) != both);
}

void SourceHashTest::anUnchangedHashIsNotWrittenAgain() {
  writeFile(m_folder, "a.cpp", "int a;\n");
  headerOf({"a.cpp"});
  QFile header(m_folder.filePath("made/hash.h"));
  const QDateTime longAgo = QDateTime::currentDateTime().addDays(-1);
  QVERIFY(header.open(QFile::ReadWrite));
  QVERIFY(header.setFileTime(longAgo, QFileDevice::FileModificationTime));
  header.close();
  headerOf({"a.cpp"});
  QVERIFY(QFileInfo(header).lastModified() < longAgo.addSecs(60));
}

QUANTSCOPE_TEST(SourceHashTest)
#include "test_source_hash.moc"

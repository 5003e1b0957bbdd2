#include <sys/resource.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <string>

#include "base/files/atomic_file.h"
#include "base/files/input_file.h"
#include "support/error_text.h"
#include "support/test_main.h"

using quantscope::AtomicFile;
using quantscope::readFile;
using quantscope::writeFileAtomically;

class AtomicFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void writesAndReplaces();
  void appearsOnlyWithCommit();
  void overwritesInPlace();
  void linkStaysALink();
  void fullDiskIsAnError();
  void failedWriteLeavesTheOldFile();
  void missingFolderIsAnError();
  void folderAsTargetIsAnError();
  void forbiddenFolderIsAnError();
  void longestNameWorks();
  void unreadableInputIsAnError();

 private:
  std::string file(const char* name) const { return m_folder->filePath(name).toStdString(); }
  QStringList entries() const {
    return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Lets files grow to `bytes` only while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &m_before);
    const rlimit narrow{bytes, m_before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &narrow);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_handler);
  }

 private:
  rlimit m_before{};
  void (*m_handler)(int);
};

}  // namespace

void AtomicFileTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void AtomicFileTest::writesAndReplaces() {
  writeFileAtomically(file("report"), "one");
  QCOMPARE(readFile(file("report"), 100), std::string("one"));
  writeFileAtomically(file("report"), "");
  QCOMPARE(readFile(file("report"), 100), std::string());
  QCOMPARE(entries(), QStringList{"report"});
}

void AtomicFileTest::appearsOnlyWithCommit() {
  writeFileAtomically(file("values"), "old");
  {
    AtomicFile writer(file("values"));
    writer.append(bytes("new"));
    QCOMPARE(readFile(file("values"), 100), std::string("old"));
    QCOMPARE(entries().size(), 2);
  }
  QCOMPARE(entries(), QStringList{"values"});
  QCOMPARE(readFile(file("values"), 100), std::string("old"));
}

void AtomicFileTest::overwritesInPlace() {
  AtomicFile writer(file("values"));
  AtomicFile other(file("values"));
  writer.append(bytes("0123456789"));
  other.append(bytes("other"));
  writer.append(bytes("ab"));
  writer.overwrite(2, bytes("xyz"));
  writer.append(bytes("c"));
  writer.commit(AtomicFile::Durability::Cached);
  QCOMPARE(readFile(file("values"), 100), std::string("01xyz56789abc"));
}

void AtomicFileTest::linkStaysALink() {
  writeFileAtomically(file("real"), "old");
  QVERIFY(QFile::link(m_folder->filePath("real"), m_folder->filePath("link")));
  writeFileAtomically(file("link"), "new");
  QVERIFY(QFileInfo(m_folder->filePath("link")).isSymLink());
  QCOMPARE(readFile(file("real"), 100), std::string("new"));
}

void AtomicFileTest::fullDiskIsAnError() {
  VERIFY_ERROR(writeFileAtomically("/dev/full", "text"), "the disk is full (/dev/full): free some");
  writeFileAtomically("/dev/null", "text");
  QVERIFY2(!QFileInfo("/dev/null").isFile(), "a device is written to, not replaced");
}

void AtomicFileTest::failedWriteLeavesTheOldFile() {
  writeFileAtomically(file("report"), "old");
  {
    const FileSizeLimit limit(1000);
    VERIFY_ERROR(writeFileAtomically(file("report"), std::string(2000, 'x')),
                 "largest allowed file size");
  }
  QCOMPARE(readFile(file("report"), 100), std::string("old"));
  QCOMPARE(entries(), QStringList{"report"});
}

void AtomicFileTest::missingFolderIsAnError() {
  VERIFY_ERROR(writeFileAtomically(file("no/such/report"), "text"),
               "no/such does not exist (" + file("no/such/report") + "): create the folder");
}

void AtomicFileTest::folderAsTargetIsAnError() {
  VERIFY_ERROR(writeFileAtomically(m_folder->path().toStdString(), "text"), "it is a folder");
  VERIFY_ERROR(writeFileAtomically(file(""), "text"), "it is a folder");
  VERIFY_ERROR(readFile(m_folder->path().toStdString(), 10), "it is a folder");
}

void AtomicFileTest::forbiddenFolderIsAnError() {
  QVERIFY(QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner));
  const uid_t user = ::geteuid();
  // An administrator may write everywhere: become nobody for a moment.
  if (user == 0) QCOMPARE(::seteuid(65534), 0);
  const std::string text =
      quantscope::test::errorText([&] { writeFileAtomically(file("report"), "text"); });
  if (user == 0) QCOMPARE(::seteuid(user), 0);
  QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  QVERIFY2(quantscope::test::contains(text, "permission denied"), text.c_str());
}

void AtomicFileTest::longestNameWorks() {
  const std::string longest(255, 'n');
  writeFileAtomically(file(longest.c_str()), "text");
  QCOMPARE(readFile(file(longest.c_str()), 100), std::string("text"));
  VERIFY_ERROR(writeFileAtomically(file((longest + "n").c_str()), "text"), "name is too long");
  QCOMPARE(entries().size(), 1);
}

void AtomicFileTest::unreadableInputIsAnError() {
  VERIFY_ERROR(readFile(file("missing"), 10), "does not exist (" + file("missing") + "): check");
  VERIFY_ERROR(readFile("/dev/zero", 10), "a device or a pipe");
  writeFileAtomically(file("long"), "12345");
  VERIFY_ERROR(readFile(file("long"), 4), "more than the 4");
  quantscope::InputFile input(file("long"));
  std::array<std::byte, 4> target{};
  VERIFY_ERROR(input.read(2, target), "ends early (" + file("long"));
}

QUANTSCOPE_TEST(AtomicFileTest)
#include "test_atomic_file.moc"

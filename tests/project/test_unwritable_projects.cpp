#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <mutex>

#include "project/project_file.h"
#include "project/random_work.h"
#include "project/raw_project.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Full disks, limits and missing rights: a sentence says so, and the work waits in memory.
class UnwritableProjectsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFullDisk();
  void aLimitOfFileSizes();
  void theWorkGoesToAnotherDisk();
  void aReadOnlyFolder_data();
  void aReadOnlyFolder();
  void missingPlaces();
  void aFileThatIsTakenAway();
};

namespace {

// A disk of so many bytes; not there where nothing may be mounted.
class SmallDisk {
 public:
  explicit SmallDisk(const char* size) {
    const std::string options = std::string("size=") + size;
    m_mounted =
        ::mount("tmpfs", path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (m_mounted) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool there() const { return m_mounted; }
  std::string path() const { return m_folder.path().toStdString(); }

 private:
  QTemporaryDir m_folder;
  bool m_mounted = false;
};

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : m_handler(::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &m_before);
    const rlimit narrow{bytes, m_before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &narrow);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &m_before);
    ::signal(SIGXFSZ, m_handler);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit m_before{};
  void (*m_handler)(int);
};

// What a project told of its writing.
class Told {
 public:
  ProjectFile::WriteStateSink sink() {
    return [this](const std::optional<Error>& state) {
      const std::lock_guard lock(m_mutex);
      m_states.push_back(state ? state->sentence() : "works again");
    };
  }
  std::vector<std::string> states() {
    const std::lock_guard lock(m_mutex);
    return m_states;
  }

 private:
  std::mutex m_mutex;
  std::vector<std::string> m_states;
};

// Edits until the disk is full, and some more.
void fill(ProjectFile& project, Document& document) {
  std::mt19937 random(3);
  int more = 20;
  for (int i = 0; i < 20'000 && more > 0; ++i) {
    workOn(document, random);
    document.apply(Dismissal{"outlier/" + std::to_string(i) + std::string(2000, 'x')});
    project.record(document);
    if (i % 10 != 0 && more == 20) continue;
    try {
      project.flush();
    } catch (const Error&) {
      --more;
    }
  }
}

}  // namespace

void UnwritableProjectsTest::aFullDisk() {
  const SmallDisk disk("400k");
  if (!disk.there()) QSKIP("nothing may be mounted here");
  const std::string file = disk.path() + "/work.quantscope";
  const std::string other = disk.path() + "/other";
  putBytes(other, std::string(150'000, 'x'));
  ProjectFile::create(file);
  Told told;
  Document document;
  {
    ProjectFile project(file, ProjectFile::Access::Write, told.sink());
    fill(project, document);
    VERIFY_ERROR(project.flush(), "the disk is full");
    QVERIFY(project.unsaved());
    QCOMPARE(told.states().size(), std::size_t{1});
    // What is on disk opens, and is something that was there before.
    const Document onDisk = ProjectFile(file, ProjectFile::Access::Read).document();
    QVERIFY(!onDisk.journal().empty() && onDisk != document);
    // There is room again: all that waited is written with the next change.
    QVERIFY(QFile::remove(QString::fromStdString(other)));
    document.apply(Dismissal{"outlier/last"});
    project.record(document);
    project.flush();
    QVERIFY(!project.unsaved());
    QCOMPARE(told.states().back(), std::string("works again"));
  }
  QVERIFY(ProjectFile(file).document() == document);
}

void UnwritableProjectsTest::aLimitOfFileSizes() {
  QTemporaryDir folder;
  const std::string file = folder.filePath("work.quantscope").toStdString();
  ProjectFile::create(file);
  Document document;
  ProjectFile project(file);
  {
    const FileSizeLimit limit(200'000);
    fill(project, document);
    VERIFY_ERROR(project.flush(), "it would exceed the largest allowed file size");
  }
  project.flush();
  QVERIFY(ProjectFile(file, ProjectFile::Access::Read).document() == document);
}

void UnwritableProjectsTest::theWorkGoesToAnotherDisk() {
  const SmallDisk disk("300k");
  if (!disk.there()) QSKIP("nothing may be mounted here");
  QTemporaryDir folder;
  const std::string file = disk.path() + "/work.quantscope";
  const std::string other = folder.filePath("work.quantscope").toStdString();
  ProjectFile::create(file);
  Document document;
  {
    ProjectFile project(file);
    fill(project, document);
    QVERIFY(project.unsaved());
    VERIFY_ERROR(project.saveAs(disk.path() + "/copy.quantscope"), "the disk is full");
    QCOMPARE(project.path().string(), file);
    project.saveAs(other);
    project.flush();
  }
  QVERIFY(ProjectFile(other).document() == document);
}

void UnwritableProjectsTest::aReadOnlyFolder_data() {
  QTest::addColumn<uint>("file");
  QTest::addColumn<uint>("folder");
  QTest::newRow("folder") << 0666U << 0555U;
  QTest::newRow("file") << 0444U << 0777U;
}

void UnwritableProjectsTest::aReadOnlyFolder() {
  QFETCH(uint, file);
  QFETCH(uint, folder);
  QTemporaryDir place;
  const std::string name = place.filePath("work.quantscope").toStdString();
  ProjectFile::create(name);
  const std::string before = bytesIn(name);
  ::chmod(name.c_str(), file);
  ::chmod(place.path().toStdString().c_str(), folder);
  QProcess child;
  child.start(QUANTSCOPE_PROJECT_CHILD, {"try", place.filePath("work.quantscope")});
  QVERIFY(child.waitForFinished());
  ::chmod(place.path().toStdString().c_str(), 0777);
  const QByteArray said = child.readAllStandardOutput();
  QVERIFY2(said.startsWith("read only\nthe file cannot be written, permission denied"), said);
  QVERIFY(bytesIn(name) == before);
  QCOMPARE(QDir(place.path()).entryList(QDir::Files), QStringList{"work.quantscope"});
}

void UnwritableProjectsTest::missingPlaces() {
  QTemporaryDir folder;
  const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
  VERIFY_ERROR(ProjectFile(path("none.quantscope")), "it does not exist");
  VERIFY_ERROR(ProjectFile(folder.path().toStdString()), "it is a folder");
  VERIFY_ERROR(ProjectFile::create(path("none/work.quantscope")), "does not exist");
  VERIFY_ERROR(ProjectFile("/dev/null"), "cannot be read");
}

void UnwritableProjectsTest::aFileThatIsTakenAway() {
  QTemporaryDir folder;
  const QString name = folder.filePath("work.quantscope");
  const std::string other = folder.filePath("other.quantscope").toStdString();
  ProjectFile::create(name.toStdString());
  ProjectFile project(name.toStdString());
  QVERIFY(QFile::remove(name));
  Document document = project.document();
  document.apply(Dismissal{"outlier/a"});
  project.record(document);
  VERIFY_ERROR(project.flush(), "was moved or removed while it was open");
  project.saveAs(other);
  project.flush();
  QVERIFY(ProjectFile(other, ProjectFile::Access::Read).document() == document);
}

QUANTSCOPE_TEST(UnwritableProjectsTest)
#include "test_unwritable_projects.moc"

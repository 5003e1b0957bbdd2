#include "base/files/temporary_folder.h"

#include <cerrno>
#include <cstdlib>

#include "base/files/file_error.h"

namespace quantscope {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "quantscope-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw fileError(FileAction::Write, name, errno);
  m_path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  fs::remove_all(m_path, failure);
}

}  // namespace quantscope

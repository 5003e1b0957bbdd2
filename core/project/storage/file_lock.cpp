#include "project/storage/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/files/file_error.h"

namespace quantscope {

FileLock::FileLock(const std::filesystem::path& file)
    : m_file(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!m_file.valid()) throw fileError(FileAction::Read, file, errno);
  if (::flock(m_file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(ErrorCode::Io, "the project is open in another window or program",
              {.file = file.string(), .node = {}, .value = {}},
              "close it there, or work on a copy");
}

}  // namespace quantscope

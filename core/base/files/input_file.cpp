#include "base/files/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/file_error.h"

namespace quantscope {
namespace {

// O_NONBLOCK: opening a pipe that has no writer must not block.
FileDescriptor openForReading(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) throw fileError(FileAction::Read, path, errno);
  return file;
}

}  // namespace

InputFile::InputFile(std::filesystem::path path)
    : m_path(std::move(path)), m_file(openForReading(m_path)) {
  struct stat status {};
  if (::fstat(m_file.get(), &status) != 0) throw fileError(FileAction::Read, m_path, errno);
  if (S_ISDIR(status.st_mode)) throw fileError(FileAction::Read, m_path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::Io, "the file cannot be read, it is a device or a pipe",
                {.file = m_path.string(), .node = {}, .value = {}}, "name a regular file");
  }
  m_size = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> target) {
  while (!target.empty()) {
    const ssize_t count =
        ::pread(m_file.get(), target.data(), target.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw fileError(FileAction::Read, m_path, errno);
    if (count == 0) {
      throw Error(ErrorCode::Io, "the file ends early",
                  {.file = m_path.string(), .node = {}, .value = {}}, "fetch or write it again");
    }
    offset += static_cast<std::uint64_t>(count);
    target = target.subspan(static_cast<std::size_t>(count));
  }
}

std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes) {
  InputFile file(path);
  if (file.size() > maxBytes) {
    throw Error(ErrorCode::Io,
                "the file has " + std::to_string(file.size()) + " bytes, more than the " +
                    std::to_string(maxBytes) + " that make sense here",
                {.file = path.string(), .node = {}, .value = {}},
                "check that it is the right file");
  }
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace quantscope

#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/files/file_descriptor.h"
#include "base/files/file_error.h"

namespace quantscope {
namespace {

constexpr mode_t kMode = 0666;  // narrowed by the user's umask
constexpr int kMaxAttempts = 10000;

[[noreturn]] void fail(const std::filesystem::path& target, int code) {
  throw fileError(FileAction::Write, target, code);
}

// A link stays a link: its target is replaced.
std::filesystem::path behindLinks(const std::filesystem::path& target) {
  std::error_code failure;
  if (!std::filesystem::is_symlink(target, failure)) return target;
  std::filesystem::path real = std::filesystem::canonical(target, failure);
  return failure ? target : real;
}

bool isDeviceOrPipe(const std::filesystem::path& target) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(target, failure);
  return std::filesystem::is_other(status);
}

// The name does not contain the target's, which may already be as long as names can be.
std::filesystem::path createTemporary(const std::filesystem::path& target) {
  const std::string stem = ".quantscope-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::filesystem::path candidate =
        target.parent_path() / (stem + std::to_string(attempt) + ".part");
    const FileDescriptor file(
        ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    if (file.valid()) return candidate;
    if (errno != EEXIST) fail(target, errno);
  }
  fail(target, EEXIST);
}

FileDescriptor openWritten(const std::filesystem::path& written,
                           const std::filesystem::path& target, int flags) {
  FileDescriptor file(::open(written.c_str(), O_WRONLY | O_CLOEXEC | flags));
  if (!file.valid()) fail(target, errno);
  return file;
}

template <class Write>
void writeAll(std::span<const std::byte> bytes, const std::filesystem::path& target, Write write) {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(target, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : m_target(behindLinks(target)) {
  std::error_code failure;
  const bool isFolder = std::filesystem::is_directory(m_target, failure);
  if (isFolder || m_target.filename().empty()) fail(m_target, EISDIR);
  // Reported now rather than by commit(), at the end of a long run.
  if (failure == std::errc::filename_too_long) fail(m_target, ENAMETOOLONG);
  m_written = isDeviceOrPipe(m_target) ? m_target : createTemporary(m_target);
}

AtomicFile::~AtomicFile() {
  if (!m_done && !direct()) ::unlink(m_written.c_str());
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  FileDescriptor file = openWritten(m_written, m_target, O_APPEND);
  writeAll(bytes, m_target, [&](std::span<const std::byte> rest) {
    return ::write(file.get(), rest.data(), rest.size());
  });
  if (!file.close()) fail(m_target, errno);
}

void AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  FileDescriptor file = openWritten(m_written, m_target, 0);
  const std::size_t total = bytes.size();
  writeAll(bytes, m_target, [&](std::span<const std::byte> rest) {
    const std::uint64_t position = offset + (total - rest.size());
    return ::pwrite(file.get(), rest.data(), rest.size(), static_cast<off_t>(position));
  });
  if (!file.close()) fail(m_target, errno);
}

void AtomicFile::commit(Durability durability) {
  if (!direct()) {
    if (durability == Durability::OnDisk) {
      FileDescriptor file = openWritten(m_written, m_target, 0);
      if (::fsync(file.get()) != 0) fail(m_target, errno);
      if (!file.close()) fail(m_target, errno);
    }
    if (::rename(m_written.c_str(), m_target.c_str()) != 0) fail(m_target, errno);
  }
  m_done = true;
}

void writeFileAtomically(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  AtomicFile writer(file);
  writer.append(bytes);
  writer.commit(AtomicFile::Durability::OnDisk);
}

void writeFileAtomically(const std::filesystem::path& file, std::string_view text) {
  writeFileAtomically(file, std::as_bytes(std::span(text)));
}

}  // namespace quantscope

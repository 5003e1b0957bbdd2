#include "fuzz/fuzzed_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "fuzz/fuzz_target.h"

namespace quantscope::test {

FuzzedFile::FuzzedFile(std::string_view bytes) : m_file(::memfd_create("fuzzed", MFD_CLOEXEC)) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(m_file.get(), bytes.data(), bytes.size());
    require(count > 0, "there is no memory for a file");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::filesystem::path FuzzedFile::path() const {
  return "/proc/self/fd/" + std::to_string(m_file.get());
}

FuzzedFolder::FuzzedFolder() {
  std::error_code failure;
  const bool inMemory = std::filesystem::is_directory("/dev/shm", failure);
  std::string name = inMemory ? "/dev/shm" : std::filesystem::temp_directory_path().string();
  name += "/quantscope-fuzz-XXXXXX";
  require(::mkdtemp(name.data()) != nullptr, "there is no place for a folder");
  m_path = name;
}

FuzzedFolder::~FuzzedFolder() {
  std::error_code failure;
  std::filesystem::remove_all(m_path, failure);
}

std::filesystem::path FuzzedFolder::write(const std::string& name, std::string_view bytes) const {
  const std::filesystem::path file = m_path / name;
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

}  // namespace quantscope::test

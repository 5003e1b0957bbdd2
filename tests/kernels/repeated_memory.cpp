#include "kernels/repeated_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/files/file_descriptor.h"

namespace quantscope::test {
namespace {

constexpr int kReadAndWrite = PROT_READ | PROT_WRITE;

bool mapAt(std::byte* address, int file, std::size_t offset) {
  return mmap(address, RepeatedMemory::kBlock, kReadAndWrite, MAP_SHARED | MAP_FIXED, file,
              static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace

RepeatedMemory::RepeatedMemory(std::size_t blocks) : m_bytes((blocks + 1) * kBlock) {
  void* const space =
      mmap(nullptr, m_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return;
  m_memory = static_cast<std::byte*>(space);
  const FileDescriptor file(memfd_create("repeated", MFD_CLOEXEC));
  bool mapped = file.valid() && ftruncate(file.get(), 2 * kBlock) == 0;
  for (std::size_t i = 0; mapped && i < blocks; ++i) {
    mapped = mapAt(m_memory + i * kBlock, file.get(), 0);
  }
  if (mapped && mapAt(m_memory + blocks * kBlock, file.get(), kBlock)) return;
  munmap(m_memory, m_bytes);
  m_memory = nullptr;
}

RepeatedMemory::~RepeatedMemory() {
  if (m_memory != nullptr) munmap(m_memory, m_bytes);
}

}  // namespace quantscope::test

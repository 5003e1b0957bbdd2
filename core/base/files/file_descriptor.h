#pragma once

#include <unistd.h>

#include <utility>

namespace quantscope {

/// Owns an open file of the operating system.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) : m_descriptor(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
  }
  ~FileDescriptor() {
    if (valid()) ::close(m_descriptor);
  }

  bool valid() const { return m_descriptor >= 0; }
  int get() const { return m_descriptor; }
  /// Closes early. False (and errno) where the system reports a late write error.
  bool close() { return ::close(std::exchange(m_descriptor, -1)) == 0; }

 private:
  int m_descriptor;
};

}  // namespace quantscope

#include "training/checkpoint_store.h"

#include <fstream>
#include <iterator>
#include <span>

#include "base/error.h"
#include "base/files/atomic_file.h"

namespace quantscope {

void CheckpointFile::requireWritable() const {
  const AtomicFile probe(m_file);
}

std::optional<std::string> CheckpointFile::read() const {
  std::ifstream stream(m_file, std::ios::binary);
  if (stream) return std::string(std::istreambuf_iterator<char>(stream), {});
  if (!std::filesystem::exists(m_file)) return std::nullopt;
  throw Error(ErrorCode::Io, "'" + m_file.string() + "' cannot be read", {},
              "check its permissions");
}

void CheckpointFile::write(const std::string& bytes) {
  writeFileAtomically(m_file, std::as_bytes(std::span(bytes)));
}

}  // namespace quantscope

#include "base/files/output_folder.h"

#include <unistd.h>

#include <cerrno>
#include <ranges>
#include <system_error>

#include "base/error.h"
#include "base/files/file_error.h"

namespace quantscope {
namespace fs = std::filesystem;

namespace {

Error folderError(const fs::path& folder, const std::string& why) {
  return {ErrorCode::Io, "the folder cannot be made, " + why,
          Place{.file = folder.string(), .node = {}, .value = {}}, "choose another one with --out"};
}

}  // namespace

OutputFolder::OutputFolder(fs::path folder) : m_path(std::move(folder)) {
  try {
    make();
    if (::access(m_path.c_str(), W_OK | X_OK) != 0) {
      throw fileError(FileAction::Write, m_path, errno);
    }
  } catch (...) {
    removeMade();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  removeMade();
}

void OutputFolder::make() {
  if (m_path.empty()) throw folderError(m_path, "it has no name");
  fs::path part;
  for (const fs::path& name : m_path) {
    part /= name;
    std::error_code failure;
    if (fs::is_directory(part, failure)) continue;
    if (fs::exists(part, failure)) {
      throw folderError(m_path, "a file is in the way: " + part.string());
    }
    if (fs::create_directory(part, failure)) m_made.push_back(part);
    if (failure) throw folderError(m_path, failure.message());
  }
}

void OutputFolder::removeMade() {
  std::error_code ignored;
  for (const fs::path& folder : std::views::reverse(m_made)) fs::remove(folder, ignored);
}

}  // namespace quantscope

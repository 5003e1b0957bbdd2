#include "project/linked_files.h"

#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/files/file_content.h"
#include "base/files/file_stamp.h"
#include "base/files/input_file.h"
#include "onnx/external_locations.h"
#include "onnx/import.h"

namespace quantscope {
namespace {

struct RolePlace {
  const char* name;
  FileReference DocumentFiles::*file;
};

const RolePlace& placeOf(FileRole role) {
  static constexpr RolePlace kPlaces[] = {{"model", &DocumentFiles::model},
                                          {"data", &DocumentFiles::data},
                                          {"calibration", &DocumentFiles::calibration},
                                          {"labels", &DocumentFiles::labels},
                                          {"backend", &DocumentFiles::backend}};
  return kPlaces[static_cast<std::size_t>(role)];
}

bool isMadeUp(const std::string& path) {
  return sourceKind(path) == SourceKind::Random;
}

ContentId contentAt(FileRole role, const std::string& path) {
  if (isMadeUp(path)) return ContentHasher().add(path).id();
  return role == FileRole::Model ? importWithContent(path).content : contentOf(path);
}

// A model's with those of its external data, if it has any.
std::string stampAt(FileRole role, const std::string& path) {
  ContentId id = stampOf(path).id;
  if (role != FileRole::Model || isMadeUp(path)) return toString(id);
  try {
    const std::string bytes = quantscope::readFile(path, std::numeric_limits<std::uint64_t>::max());
    for (const std::filesystem::path& name : externalLocations(bytes)) {
      const FileStamp stamp = stampOf(std::filesystem::path(path).parent_path() / name);
      if (stamp.id.valid()) id = combined({id, stamp.id});
    }
  } catch (const Error&) {
    // Whoever needs the content says that it cannot be read.
  }
  return toString(id);
}

bool exists(const std::string& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

}  // namespace

const char* name(FileRole role) {
  return placeOf(role).name;
}

FileReference& fileOf(DocumentFiles& files, FileRole role) {
  return files.*placeOf(role).file;
}

const FileReference& fileOf(const DocumentFiles& files, FileRole role) {
  return files.*placeOf(role).file;
}

std::string wholePath(const std::string& path) {
  if (path.empty() || isMadeUp(path)) return path;
  return std::filesystem::absolute(path).lexically_normal().string();
}

FileReference linkedFile(FileRole role, const std::string& path) {
  // Its stamp first: what changes meanwhile must not look untouched.
  FileReference file = linkedFile(role, path, ContentId());
  file.contentId = toString(contentAt(role, path));
  return file;
}

FileReference linkedFile(FileRole role, const std::string& path, ContentId content) {
  const std::string whole = wholePath(path);
  return {whole, toString(content), stampAt(role, whole)};
}

bool isUntouched(FileRole role, const FileReference& file) {
  return !file.contentId.empty() && file.stamp == stampAt(role, file.path);
}

FileState stateOf(FileRole role, const FileReference& file) {
  if (file.empty() || isMadeUp(file.path)) return FileState::Same;
  if (!exists(file.path)) return FileState::Missing;
  if (file.contentId.empty() || isUntouched(role, file)) return FileState::Same;
  try {
    const bool same = toString(contentAt(role, file.path)) == file.contentId;
    return same ? FileState::Same : FileState::Changed;
  } catch (const Error& error) {
    // A file that is no longer a model counts as changed, an unreadable file as missing.
    return error.code() == ErrorCode::Io ? FileState::Missing : FileState::Changed;
  }
}

bool relink(Document& document, FileRole role, const std::string& path) {
  FileReference found = linkedFile(role, path);
  DocumentFiles files = document.files();
  FileReference& file = fileOf(files, role);
  const bool same = file.contentId.empty() || file.contentId == found.contentId;
  const std::string before = std::exchange(file, std::move(found)).path;
  const std::string now = file.path;
  // A backend's reference follows the configurations.
  document.moveFiles([&](const std::string& each) { return each == before ? now : each; });
  document.setFiles(std::move(files));
  return same;
}

std::string foundPath(FileRole role, const FileReference& absolute,
                      const std::filesystem::path& besideProject) {
  const std::string beside = besideProject.lexically_normal().string();
  if (beside == absolute.path || besideProject.empty() || !exists(beside)) return absolute.path;
  if (!exists(absolute.path)) return beside;
  FileReference other = absolute;
  other.path = beside;
  const bool onlyThere =
      stateOf(role, absolute) == FileState::Same && stateOf(role, other) != FileState::Same;
  return onlyThere ? absolute.path : beside;
}

}  // namespace quantscope

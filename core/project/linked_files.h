#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "project/document.h"

namespace quantscope {

/// What a file is to a document.
enum class FileRole : std::uint8_t { Model, Data, Calibration, Labels };

inline constexpr std::array kFileRoles{FileRole::Model, FileRole::Data, FileRole::Calibration,
                                       FileRole::Labels};

/// "model", "data", "calibration", "labels".
const char* name(FileRole role);
FileReference& fileOf(DocumentFiles& files, FileRole role);
const FileReference& fileOf(const DocumentFiles& files, FileRole role);

enum class FileState : std::uint8_t {
  Same,     ///< what the document knows, or nobody has looked yet
  Changed,  ///< there, with another content
  Missing,  ///< not where it was, or not to be read
};

/// A reference to what is at `path` now: the whole path, the content's id and the stamp. A model's
/// content counts its external data. Throws Error(Io or InvalidModel) for what cannot be read.
FileReference linkedFile(FileRole role, const std::string& path);
/// The same where somebody has the content's id, as a loaded model's engine has.
FileReference linkedFile(const std::string& path, ContentId content);

/// What became of a file since. Looks at the stamp, and reads the content only where that differs.
FileState stateOf(FileRole role, const FileReference& file);

/// Puts what is at `path` in a file's place and returns whether its content is the one that the
/// document knew; if not, its results are of something else. Throws as linkedFile() does; then
/// nothing has changed.
bool relink(Document& document, FileRole role, const std::string& path);

/// Of the two paths under which a file was known the one where it is: what lies at the same place
/// seen from the project's folder first, unless only the other one has the content.
std::string foundPath(FileRole role, const FileReference& absolute,
                      const std::filesystem::path& besideProject);

}  // namespace quantscope

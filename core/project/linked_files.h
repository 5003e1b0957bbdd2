#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "project/document.h"

namespace quantscope {

/// The role of a file in a document.
enum class FileRole : std::uint8_t { Model, Data, Calibration, Labels, Backend };

inline constexpr std::array kFileRoles{FileRole::Model, FileRole::Data, FileRole::Calibration,
                                       FileRole::Labels, FileRole::Backend};

/// "model", "data", "calibration", "labels", "backend".
const char* name(FileRole role);
FileReference& fileOf(DocumentFiles& files, FileRole role);
const FileReference& fileOf(const DocumentFiles& files, FileRole role);

enum class FileState : std::uint8_t {
  Same,     ///< the content that the document knows, or its content was never read
  Changed,  ///< there, with another content
  Missing,  ///< not where it was, or not to be read
};

/// A path as references have it: absolute without detours. Synthetic data and nothing stay.
std::string wholePath(const std::string& path);
/// A reference to the file at `path` now: the whole path, the content's id and the stamp. A model's
/// content includes its external data. Throws Error(Io or InvalidModel) for an unreadable file.
FileReference linkedFile(FileRole role, const std::string& path);
/// The same for a content whose id is known, as a loaded model's engine has it.
FileReference linkedFile(FileRole role, const std::string& path, ContentId content);

/// True where the stamp says that the content is the one that is known; reads no more of it than
/// the names of a model's external data.
bool isUntouched(FileRole role, const FileReference& file);

/// The state of a file. Compares the stamp, and reads the content only if the stamp differs.
FileState stateOf(FileRole role, const FileReference& file);

/// Replaces a file by the one at `path` and returns true if the content is the one that the
/// document knew; otherwise its results are of another file. The history and all configurations
/// name the file at its new place too. Throws like linkedFile(); then nothing has changed.
bool relink(Document& document, FileRole role, const std::string& path);

/// The current one of a file's two paths: the one relative to the project's folder comes first,
/// unless only the other one has the content.
std::string foundPath(FileRole role, const FileReference& absolute,
                      const std::filesystem::path& besideProject);

}  // namespace quantscope

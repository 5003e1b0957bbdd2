#include "base/files/file_error.h"

#include <cerrno>
#include <system_error>

namespace quantscope {
namespace {

struct Cause {
  std::string sentence;
  std::string remedy;
};

Cause missing(FileAction action, const std::filesystem::path& file) {
  if (action == FileAction::Read) return {"it does not exist", "check the path"};
  const std::string folder = file.parent_path().empty() ? "." : file.parent_path().string();
  return {"the folder " + folder + " does not exist", "create the folder or choose another one"};
}

Cause causeOf(FileAction action, const std::filesystem::path& file, int code) {
  const bool reading = action == FileAction::Read;
  switch (code) {
    case ENOENT:
      return missing(action, file);
    case ENOTDIR:
      return {"a part of its path is not a folder", "check the path"};
    case EISDIR:
      return {"it is a folder", "name a file"};
    case ENOSPC:
    case EDQUOT:
      return {"the disk is full", "free some space or write to another disk"};
    case EFBIG:
      return {"it would exceed the largest allowed file size",
              "raise the limit or write to another disk"};
    case EACCES:
    case EPERM:
      return {"permission denied",
              reading ? "make the file readable for you" : "choose a folder that you may write to"};
    case EROFS:
      return {"the disk is read-only", "choose a folder that you may write to"};
    case EMFILE:
    case ENFILE:
      return {"too many files are open", "raise the limit of open files (ulimit -n)"};
    case ENAMETOOLONG:
      return {"its name is too long", "choose a shorter name"};
    default:
      return {std::generic_category().message(code), {}};
  }
}

}  // namespace

Error fileError(FileAction action, const std::filesystem::path& file, int code) {
  const Cause cause = causeOf(action, file, code);
  const char* verb = action == FileAction::Read ? "read" : "written";
  return {ErrorCode::Io, std::string("the file cannot be ") + verb + ", " + cause.sentence,
          Place{.file = file.string(), .node = {}, .value = {}}, cause.remedy};
}

}  // namespace quantscope

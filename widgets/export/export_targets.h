#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

namespace quantscope {

/// Something that can be written, in words.
struct ExportTarget {
  enum class Kind : std::uint8_t { Model, OtherTool, Report };

  Kind kind = Kind::OtherTool;
  std::string format;  ///< of exportFormats() or reportFormats()
  QString title;       ///< "AIMET 2.0"
  QString ending;      ///< of the suggested name: ".encodings"
  QString definition;  ///< what is written and which tools read it
  bool isFolder = false;
  bool hasOpset = false;
};

/// "Model", "For other tools", "Reports".
QString titleOf(ExportTarget::Kind kind);

/// The targets for all exportFormats() and reportFormats(), grouped by kind.
const std::vector<ExportTarget>& exportTargets();

}  // namespace quantscope

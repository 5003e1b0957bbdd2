#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "export/export_loss.h"
#include "precision/config/configuration.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The input of a text format.
struct FormatInput {
  const Engine& engine;
  const Configuration& config;
  const QuantizedModel& model;

  const Graph& graph() const { return engine.graph(); }
};

/// The content of a file for another tool, and the losses.
struct FormatOutput {
  std::string text;
  ExportLosses losses;
  /// Names of nodes as they are shown, and as the file has them where that is another name.
  std::map<std::string, std::string> names = {};
};

/// A file format for the parameters or types of a quantized model.
struct TextFormat {
  const char* name;  ///< "ort", as on the command line
  FormatOutput (*write)(const FormatInput& input);
};

/// All text formats, in the order of help texts. Each format's file tells what its tool reads.
const std::vector<TextFormat>& textFormats();

// One function per file.
FormatOutput ortScript(const FormatInput& input);
FormatOutput aimetEncodings061(const FormatInput& input);
FormatOutput aimetEncodings100(const FormatInput& input);
FormatOutput aimetEncodings200(const FormatInput& input);
FormatOutput tensorrtCache(const FormatInput& input);
FormatOutput torchScript(const FormatInput& input);
FormatOutput torchaoScript(const FormatInput& input);
FormatOutput nncfScope(const FormatInput& input);
FormatOutput incConfig(const FormatInput& input);
FormatOutput modeloptConfig(const FormatInput& input);
FormatOutput modelExplorerData(const FormatInput& input);
FormatOutput layerTable(const FormatInput& input);
FormatOutput ownConfiguration(const FormatInput& input);

}  // namespace quantscope

#pragma once

#include <map>
#include <optional>
#include <string>

#include "export/formats/format.h"

namespace quantscope {

/// The names by which other tools find a model's nodes: those of its file. They differ from the
/// shown ones in sub-graphs, and where the file gives none, repeats one or gives what is no text.
class ToolNames {
 public:
  /// Both outlive it.
  ToolNames(const FormatInput& input, FormatOutput& output);

  /// None where no name leads to this node alone, which is a loss. One that differs from the shown
  /// name is noted in FormatOutput::names.
  std::optional<std::string> of(NodeId node);

 private:
  const Graph& m_graph;
  FormatOutput& m_output;
  std::map<std::string, std::size_t> m_count;  // nodes by name in the file
};

}  // namespace quantscope

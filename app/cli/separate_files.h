#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quantscope::cli {

/// A file that a command reads, and what names it: "MODEL", "--data", "the project".
struct NamedInput {
  std::string name;
  std::string file;
};

/// Throws CLI::ValidationError, which names both options, where a command would write a result to a
/// file that it reads or that another result goes to. Only a file to resume from may be the result.
/// Files are compared, not their names: links and "./x" are seen through. So does '-', standard
/// output, for any result but that of --json.
void requireSeparateResults(const CLI::App& command);

/// The same for what the command line does not name. Throws InvalidParameters.
void requireSeparateInputs(const CLI::App& command, const std::vector<NamedInput>& inputs);

}  // namespace quantscope::cli

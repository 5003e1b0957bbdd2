#include "separate_files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace quantscope::cli {
namespace {

namespace fs = std::filesystem;

// What a command reads too is no input here: it adds to a file of its own.
constexpr std::array<std::string_view, 7> kResultOptions{
    "--out", "--accept", "--codes", "--json", "--project", "--checkpoint", "--resume"};
// How --help calls what is read from files.
constexpr std::array<std::string_view, 5> kFileTypes{"FILE", "FOLDER", "DATA", "PATH", "MODEL"};

// The files that commands write into the folder of --out.
const std::map<std::string, std::vector<std::string>, std::less<>>& filesInFolder() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> files{
      {"analyze",
       {"report.json", "report.html", "report.md", "report.pdf", "report.csv", "heatmap.png",
        "heatmap.svg", "findings.txt"}},
      {"compare", {"compare.json"}},
      {"repair", {"model.onnx", "config.json", "repair.json"}},
      {"train", {"model.onnx", "config.json", "repair.json", "train.json"}},
      {"run", {"manifest.json"}}};
  return files;
}

struct NamedFile {
  std::string option;
  std::string text;  // as it was given
  fs::path path;
};

struct Clash {
  std::string option;
  std::string sentence;
};

bool isResult(const CLI::Option& option) {
  return std::ranges::find(kResultOptions, option.get_name()) != kResultOptions.end();
}

bool isResultFile(const CLI::Option* option) {
  return isResult(*option) && option->get_name() != "--json";
}

bool isInput(const CLI::Option& option) {
  if (isResult(option)) return false;
  return option.get_positional() ||
         std::ranges::find(kFileTypes, option.get_type_name()) != kFileTypes.end();
}

// Also of files that are not there yet.
fs::path wholePath(const std::string& text) {
  std::error_code failure;
  const fs::path whole = fs::absolute(text, failure);
  fs::path real = fs::weakly_canonical(whole, failure);
  return failure ? whole : real;
}

std::vector<NamedFile> filesOf(const CLI::App& command, bool (&wanted)(const CLI::Option&)) {
  std::vector<NamedFile> files;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || !wanted(*option)) continue;
    for (const std::string& text : option->results()) {
      if (text != "-") files.push_back({option->get_name(), text, wholePath(text)});
    }
  }
  return files;
}

bool isSameFile(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  return a == b || fs::equivalent(a, b, failure);
}

// Devices and pipes keep nothing that could be lost.
bool keepsBytes(const fs::path& file) {
  std::error_code failure;
  return !fs::is_other(fs::status(file, failure));
}

bool resumes(const NamedFile& a, const NamedFile& b) {
  return (a.option == "--resume" && b.option == "--json") ||
         (a.option == "--json" && b.option == "--resume");
}

// With the files in the folder of --out.
std::vector<NamedFile> resultsOf(const CLI::App& command) {
  std::vector<NamedFile> results = filesOf(command, isResult);
  std::erase_if(results, [](const NamedFile& file) { return !keepsBytes(file.path); });
  const auto inside = filesInFolder().find(command.get_name());
  const auto out = std::ranges::find(results, "--out", &NamedFile::option);
  if (inside == filesInFolder().end() || out == results.end()) return results;
  const NamedFile folder = *out;
  for (const std::string& name : inside->second) {
    results.push_back({"--out", folder.text, wholePath((folder.path / name).string())});
  }
  return results;
}

std::optional<Clash> clashOf(const CLI::App& command, const std::vector<NamedFile>& inputs) {
  const std::vector<NamedFile> results = resultsOf(command);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const NamedFile& result = results[i];
    for (const NamedFile& input : inputs) {
      if (!isSameFile(result.path, input.path)) continue;
      return Clash{result.option, "'" + input.text + "' is what " + input.option +
                                      " reads, and would be overwritten"};
    }
    for (std::size_t k = 0; k < i; ++k) {
      const bool other = results[k].option != result.option && !resumes(results[k], result);
      if (!other || !isSameFile(results[k].path, result.path)) continue;
      // Of a folder and a file in it, the file is what can be given another name.
      const bool isInFolder = results[k].option == "--out" || result.option != "--out";
      const NamedFile& named = isInFolder ? result : results[k];
      const NamedFile& writer = isInFolder ? results[k] : result;
      return Clash{named.option, "'" + named.text + "' is what " + writer.option + " writes to"};
    }
  }
  return std::nullopt;
}

}  // namespace

void requireSeparateResults(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options(isResultFile)) {
    if (std::ranges::find(option->results(), "-") == option->results().end()) continue;
    throw CLI::ValidationError(option->get_name(),
                               "'-' is standard output, which only --json writes to: name a file");
  }
  const std::optional<Clash> clash = clashOf(command, filesOf(command, isInput));
  if (clash) throw CLI::ValidationError(clash->option, clash->sentence);
}

void requireSeparateInputs(const CLI::App& command, const std::vector<NamedInput>& inputs) {
  std::vector<NamedFile> files;
  for (const NamedInput& input : inputs) {
    if (!input.file.empty()) files.push_back({input.name, input.file, wholePath(input.file)});
  }
  const std::optional<Clash> clash = clashOf(command, files);
  if (clash) {
    throw Error(ErrorCode::InvalidParameters, clash->option + ": " + clash->sentence, {},
                "name another file");
  }
}

}  // namespace quantscope::cli

#include "sensitivity_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "quant/quant_type.h"

namespace quantscope::cli {
namespace {

// CLI11 would take the next option for the entry of an empty list.
std::vector<std::string> withoutCommas(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    std::stringstream rest(list);
    for (std::string name; std::getline(rest, name, ',');) names.push_back(name);
  }
  if (std::ranges::all_of(names, &std::string::empty)) {
    throw CLI::ValidationError("--types", "the list is empty: name types, such as int8,fp16");
  }
  if (std::ranges::find(names, "") != names.end()) {
    throw CLI::ValidationError("--types", "there is no type between two commas");
  }
  return names;
}

std::vector<QuantType> readTypes(const std::vector<std::string>& lists) {
  std::vector<QuantType> types;
  for (const std::string& each : withoutCommas(lists)) {
    const std::optional<QuantType> type = quantTypeFromName(each);
    if (!type) {
      throw CLI::ValidationError("--types", "'" + each + "' is none of " + quantTypeNames());
    }
    if (std::ranges::find(types, *type) != types.end()) {
      throw CLI::ValidationError("--types", "'" + each + "' is named twice");
    }
    types.push_back(*type);
  }
  return types;
}

}  // namespace

CLI::Option* addTypesOption(CLI::App& command, std::vector<QuantType>& types,
                            const std::string& about) {
  const auto take = [&types](const std::vector<std::string>& lists) { types = readTypes(lists); };
  return command
      .add_option_function<std::vector<std::string>>("--types", take,
                                                     about + ", separated by commas")
      ->type_name("TYPES");
}

CLI::Option* addProbesOption(CLI::App& command, std::size_t& probes) {
  return command
      .add_option(
          "--probes", probes,
          "Backward passes per sample and output of an estimate by gradients (default: 64 over all "
          "samples, at most 4 for a sample and at least 2 for each of its outputs)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}, "1 to 1024"))
      ->type_name("N");
}

void addSensitivityOptions(CLI::App& command, SensitivityRequest& request) {
  using Around = SensitivityRequest::Around;
  addTypesOption(command, request.types, "Types to try each layer in")->required();
  command
      .add_option_function<std::string>(
          "--around",
          [&request](const std::string& around) {
            request.around = around == "float" ? Around::Float : Around::Configuration;
          },
          "float (default): only the layer is quantized; config: only the layer differs from the "
          "configuration")
      ->check(CLI::IsMember({"float", "config"}))
      ->type_name("WHAT");
  command
      .add_option_function<std::string>(
          "--only",
          [&request](const std::string& part) {
            request.part = part == "weights" ? PrecisionPart::Weights : PrecisionPart::Activations;
          },
          "weights or activations: the rest of the layer is in float")
      ->check(CLI::IsMember({"weights", "activations"}))
      ->type_name("PART");
}

}  // namespace quantscope::cli

#include "jobs/import_configuration.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30;

ImportedConfiguration ownConfigurationFrom(const std::filesystem::path& file,
                                           const Engine& engine) {
  ImportedConfiguration result;
  result.config = readConfiguration(file);
  result.encodings = result.config.encodings->entries.size();
  Configuration unsampled = result.config;
  unsampled.precision.edit([](PrecisionConfig& precision) { precision.calibrationSamples = 0; });
  result.notices = quantizeModel(engine, unsampled, Observations()).notices;
  return result;
}

PlacedGrids placeFile(const Engine& engine, const ForeignFile& file) {
  PlacedGrids placed = placeByName(engine, file.grids);
  placed.integerBiases = file.integerBiases;
  placed.notices.insert(placed.notices.end(), file.notices.begin(), file.notices.end());
  return placed;
}

bool isJson(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

}  // namespace

ImportedConfiguration importConfiguration(const std::filesystem::path& file,
                                          const LoadedModel& model) {
  const Engine& engine = *model.engine;
  try {
    std::string head(64, '\0');
    InputFile input(file);
    head.resize(std::min<std::uint64_t>(head.size(), input.size()));
    input.read(0, std::as_writable_bytes(std::span(head)));
    if (head.starts_with("TRT-")) {
      return configurationFrom(
          engine,
          placeByName(engine, readTensorrtCache(readFile(file, kMaxTextBytes), file.string())));
    }
    if (!isJson(head)) return configurationFrom(engine, readQdqModel(file, engine));
    const std::string text = readFile(file, kMaxTextBytes);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const bool own = json.is_object() && json.contains("quantscope") && !json.contains("version");
    return own ? ownConfigurationFrom(file, engine)
               : configurationFrom(engine, placeFile(engine, readAimet(text, file.string())));
  } catch (const Error& error) {
    throw error.at({.file = file.string(), .node = {}, .value = {}});
  }
}

}  // namespace quantscope

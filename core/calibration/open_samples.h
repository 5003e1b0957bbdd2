#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration/images/preprocessing.h"
#include "calibration/sample_source.h"
#include "graph/graph.h"

namespace quantscope {

struct SourceOptions {
  std::optional<std::size_t> samples;          ///< only the first so many; at least 1
  std::uint64_t seed = 0;                      ///< of "random:N"
  std::optional<Preprocessing> preprocessing;  ///< for folders of images
  /// NaN and ±Inf are taken as they are; else reading them is an error.
  bool acceptsNonFinite = false;

  friend bool operator==(const SourceOptions&, const SourceOptions&) = default;
};

enum class SourceKind { Npz, Npy, OnnxSets, Images, Random, Unknown };

/// The kind of data that `data` names, found from its name and the file's existence
/// and type; nothing is read and nothing thrown. Unknown = openSamples() does not take
/// it.
SourceKind sourceKind(const std::string& data);

/// Opens inputs for a model:
///  - a `.npz` with one array per input of the model, by name. An array with as many axes as the
///    input is cut along axis 0 into samples that keep that axis (all of them where the input's
///    shape is unknown); one with an axis more, or any array for a scalar input, holds whole feeds.
///    An array without axes for a scalar input is the same for every sample;
///  - a `.npy`, likewise, for a model with one input;
///  - a folder with `test_data_set_*/input_N.pb`: each set, by its number, is one sample, fed as it
///    is. Tensors go by their names where all of them are names of inputs, else by N;
///  - a folder of PNG and JPEG files with SourceOptions::preprocessing, for a model with one input,
///    in byte order of their names; other files in it are skipped;
///  - `random:N`: see RandomSamples.
///
/// Inputs that are cut into samples and whose axis 0 has a fixed extent B > 1 are fed in groups of
/// B (see Feed); whole feeds beside them then count groups.
///
/// Element types: a float array serves any float input, rounded to nearest even (a finite number
/// that would become infinite is an error); an integer array serves any integer input as long as
/// every element fits; pictures for an integer input are rounded to whole numbers. Nothing else is
/// converted.
///
/// Shapes and names are checked here, elements as they are read. Throws Error(Io, InvalidData,
/// UnsupportedType, InvalidConfiguration or InsufficientData) that says what the model wants, what
/// the data holds and what to do.
std::unique_ptr<SampleSource> openSamples(const std::string& data, const Graph& graph,
                                          const SourceOptions& options);

/// Class indices ≥ 0 of the first samples from a `.npy` of integers with one axis. Throws
/// Error(Io, InvalidData or UnsupportedType).
std::vector<std::int64_t> readLabels(const std::filesystem::path& file);

}  // namespace quantscope

#include "calibration/open_samples.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files/input_file.h"
#include "calibration/sources/array_source.h"
#include "calibration/sources/element_conversion.h"
#include "calibration/sources/feed_assembler.h"
#include "calibration/sources/image_folder.h"
#include "calibration/sources/onnx_sets.h"
#include "calibration/sources/random_source.h"
#include "tensor/npy.h"

namespace quantscope {
namespace {

constexpr std::string_view kRandomPrefix = "random:";
// Random data and written files count samples in 32 bits.
constexpr std::size_t kMaxRandomSamples = 1'000'000'000;

Place placeOf(const std::string& data) {
  return {.file = data, .node = {}, .value = {}};
}

// A folder that cannot be listed is no reason to throw yet: opening it says why.
bool holdsSets(const std::filesystem::path& folder) {
  try {
    return holdsOnnxSets(folder);
  } catch (const Error&) {
    return false;
  }
}

std::size_t parseRandomCount(const std::string& data) {
  const std::string_view text = std::string_view(data).substr(kRandomPrefix.size());
  std::size_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{} || end != text.data() + text.size() || count == 0 ||
      count > kMaxRandomSamples) {
    throw Error(ErrorCode::InvalidParameters, "the number of random samples is not valid",
                placeOf(data), "write it like random:8");
  }
  return count;
}

const Preprocessing& requirePreprocessing(const SourceOptions& options, const std::string& data) {
  if (!options.preprocessing) {
    throw Error(ErrorCode::InvalidConfiguration,
                "the folder holds no test_data_set_* folders, and for images it is not said how "
                "to prepare them",
                placeOf(data), "give --preprocess FILE.json with a folder of images");
  }
  return *options.preprocessing;
}

struct Opened {
  std::vector<InputData> inputs;
  std::string shapeRemedy;
  bool synthetic = false;
};

Opened open(const std::string& data, const std::vector<ModelInput>& inputs,
            const SourceOptions& options) {
  constexpr const char* kArrayRemedy = "give arrays of the shape that the model wants";
  switch (sourceKind(data)) {
    case SourceKind::Random:
      return {makeRandomInputs(parseRandomCount(data), options.seed, inputs), {}, true};
    case SourceKind::OnnxSets:
      return {openOnnxSets(data, inputs), "take the test data that belongs to the model", false};
    case SourceKind::Images:
      return {openImageFolder(data, requirePreprocessing(options, data), inputs),
              R"(set "size", "crop", "color" and "layout" of the preprocessing as the model wants)",
              false};
    case SourceKind::Npz:
      return {openNpzInputs(data, inputs), kArrayRemedy, false};
    case SourceKind::Npy:
      return {openNpyInputs(data, inputs), kArrayRemedy, false};
    case SourceKind::Unknown:
      break;
  }
  InputFile exists(data);
  throw Error(ErrorCode::InvalidData, "this kind of data is not known", placeOf(data),
              "give a .npz, a .npy, a folder of images or ONNX test data, or random:N");
}

}  // namespace

SourceKind sourceKind(const std::string& data) {
  if (data.starts_with(kRandomPrefix)) return SourceKind::Random;
  std::error_code failure;
  if (std::filesystem::is_directory(data, failure)) {
    return holdsSets(data) ? SourceKind::OnnxSets : SourceKind::Images;
  }
  const std::filesystem::path extension = std::filesystem::path(data).extension();
  if (extension == ".npz") return SourceKind::Npz;
  return extension == ".npy" ? SourceKind::Npy : SourceKind::Unknown;
}

std::unique_ptr<SampleSource> openSamples(const std::string& data, const Graph& graph,
                                          const SourceOptions& options) {
  try {
    const std::vector<ModelInput> inputs = modelInputs(graph);
    Opened opened = open(data, inputs, options);
    return std::make_unique<FeedAssembler>(
        FeedAssembler::Origin{.description = data,
                              .synthetic = opened.synthetic,
                              .shapeRemedy = std::move(opened.shapeRemedy),
                              .acceptsNonFinite = options.acceptsNonFinite},
        std::move(opened.inputs), options.samples);
  } catch (const Error& error) {
    throw error.at(placeOf(data));
  }
}

std::vector<std::int64_t> readLabels(const std::filesystem::path& file) {
  constexpr const char* kRemedy = "save class indices: numpy.save(file, labels.astype('int64'))";
  NpyReader reader(file);
  if (isFloat(reader.type()) || reader.type() == ElementType::Bool || reader.shape().rank() != 1) {
    throw Error(ErrorCode::InvalidData,
                "labels are integers along one axis, the file holds " +
                    std::string(name(reader.type())) + " of shape " + toString(reader.shape()),
                reader.place(), kRemedy);
  }
  const Tensor tensor = convertElements(reader.read(), ElementType::Int64, reader.place());
  const std::span<const std::int64_t> labels = tensor.values<std::int64_t>();
  if (labels.empty()) {
    throw Error(ErrorCode::InvalidData, "the file holds no labels", reader.place(), kRemedy);
  }
  if (std::ranges::any_of(labels, [](std::int64_t label) { return label < 0; })) {
    throw Error(ErrorCode::InvalidData, "a label is negative", reader.place(), kRemedy);
  }
  return {labels.begin(), labels.end()};
}

}  // namespace quantscope

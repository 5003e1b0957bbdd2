#include "calibration/sources/array_source.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "calibration/sources/element_conversion.h"
#include "tensor/npz.h"

namespace quantscope {
namespace {

class ArrayReader : public InputReader {
 public:
  ArrayReader(NpyReader reader, Cut cut, bool scalar)
      : m_reader(std::move(reader)), m_cut(cut), m_scalar(scalar) {}

  Tensor read(std::size_t index) override {
    if (m_cut == Cut::Constant) return m_reader.read();
    Tensor row = m_reader.readRows(static_cast<std::int64_t>(index), 1);
    if (m_cut == Cut::Samples) return row;
    if (m_scalar) return row.reshaped({});
    return row.reshaped(Shape(row.shape().dimensions().subspan(1)));
  }

 private:
  NpyReader m_reader;
  Cut m_cut;
  bool m_scalar;
};

Shape rowShape(const Shape& array) {
  return Shape(array.dimensions().subspan(1));
}

// nullopt if the array does not fit the input.
std::optional<Cut> cutOf(const ModelInput& input, const Shape& array) {
  if (input.scalar()) {
    if (array.empty()) return Cut::Constant;
    return rowShape(array).elementCount() == 1 ? std::optional(Cut::WholeFeeds) : std::nullopt;
  }
  if (array.empty()) return {};
  if (fits(input, array, 1)) return Cut::Samples;
  if (input.shape && fits(input, rowShape(array))) return Cut::WholeFeeds;
  return {};
}

std::string describe(const std::vector<NpzArray>& arrays) {
  std::string list;
  for (const NpzArray& array : arrays) {
    if (!list.empty()) list += ", ";
    list += quantscope::describe(array.name, array.type, array.shape);
  }
  return list;
}

std::string wantedAndFound(const std::vector<ModelInput>& inputs, const std::string& found) {
  return "; the model wants " + describe(inputs) + ", the file holds " + found;
}

InputData openArray(const ModelInput& input, NpyReader reader, const std::string& both) {
  const Place place{.file = reader.place().file, .node = {}, .value = input.name};
  if (!sameKind(reader.type(), input.type)) {
    const std::string wanted(name(input.type));
    throw Error(ErrorCode::UnsupportedType,
                "the array has " + std::string(name(reader.type())) +
                    " elements where the model's input takes " + wanted + both,
                place, "save it with array.astype('" + wanted + "')");
  }
  const std::optional<Cut> cut = cutOf(input, reader.shape());
  if (!cut) {
    throw Error(ErrorCode::InvalidData,
                "the array of shape " + toString(reader.shape()) + " does not fit the model" + both,
                place,
                "axis 0 counts the samples and the others are as the model's, or put an axis that "
                "counts whole feeds before all of the model's");
  }
  const std::size_t count = *cut == Cut::Constant ? 1 : static_cast<std::size_t>(reader.shape()[0]);
  return {input, *cut, count,
          std::make_unique<ArrayReader>(std::move(reader), *cut, input.scalar())};
}

void requireNoOthers(const NpzFile& archive, const std::vector<ModelInput>& inputs,
                     const std::string& both, const std::filesystem::path& file) {
  for (const NpzArray& array : archive.arrays()) {
    if (std::ranges::count(inputs, array.name, &ModelInput::name) > 0) continue;
    throw Error(ErrorCode::InvalidData, "the model has no input of the array's name" + both,
                {.file = file.string(), .node = {}, .value = array.name},
                "leave it out, or give it the name of an input");
  }
}

}  // namespace

std::vector<InputData> openNpzInputs(const std::filesystem::path& file,
                                     const std::vector<ModelInput>& inputs) {
  const NpzFile archive(file);
  const std::string both = wantedAndFound(inputs, describe(archive.arrays()));
  std::vector<InputData> result;
  for (const ModelInput& input : inputs) {
    if (archive.find(input.name) == nullptr) {
      throw Error(ErrorCode::InvalidData, "there is no array for an input of the model" + both,
                  {.file = file.string(), .node = {}, .value = input.name},
                  "name arrays as the inputs: numpy.savez(file, **{'" + input.name + "': array})");
    }
    result.push_back(openArray(input, archive.open(input.name), both));
  }
  requireNoOthers(archive, inputs, both, file);
  return result;
}

std::vector<InputData> openNpyInputs(const std::filesystem::path& file,
                                     const std::vector<ModelInput>& inputs) {
  NpyReader reader(file);
  const std::string both =
      wantedAndFound(inputs, describe("one array,", reader.type(), reader.shape()));
  if (inputs.size() != 1) {
    throw Error(
        ErrorCode::InvalidData,
        "one array cannot serve a model with " + std::to_string(inputs.size()) + " inputs" + both,
        reader.place(), "give a .npz with an array for each input");
  }
  std::vector<InputData> result;
  result.push_back(openArray(inputs.front(), std::move(reader), both));
  return result;
}

}  // namespace quantscope

#include "calibration/sources/onnx_sets.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "calibration/sources/list_folder.h"
#include "onnx/import.h"

namespace quantscope {
namespace {

constexpr std::string_view kSetPrefix = "test_data_set_";
constexpr std::string_view kFilePrefix = "input_";
constexpr std::string_view kFileSuffix = ".pb";

std::optional<std::uint64_t> parseNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

// Sets without a number come last, by name.
auto sortKey(const std::filesystem::path& set) {
  const std::string name = set.filename().string();
  return std::pair(parseNumber(std::string_view(name).substr(kSetPrefix.size()))
                       .value_or(std::numeric_limits<std::uint64_t>::max()),
                   name);
}

bool isSet(const std::filesystem::path& path) {
  std::error_code failure;
  return path.filename().string().starts_with(kSetPrefix) &&
         std::filesystem::is_directory(path, failure);
}

// N of "input_N.pb".
std::optional<std::uint64_t> inputNumber(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kFilePrefix) || !name.ends_with(kFileSuffix)) return {};
  return parseNumber(std::string_view(name).substr(
      kFilePrefix.size(), name.size() - kFilePrefix.size() - kFileSuffix.size()));
}

std::vector<std::filesystem::path> inputFiles(const std::filesystem::path& set) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> numbered;
  for (const std::filesystem::path& file : listFolder(set)) {
    if (const auto number = inputNumber(file)) numbered.emplace_back(*number, file);
  }
  std::ranges::sort(numbered);
  std::vector<std::filesystem::path> files;
  files.reserve(numbered.size());
  for (auto& [number, file] : numbered) files.push_back(std::move(file));
  return files;
}

// The tensors of one set in the order of the model's inputs; keeps the set that was read last,
// since every input asks for it in turn. The first one reads anew: the files may have changed.
class OnnxSets {
 public:
  OnnxSets(std::vector<std::filesystem::path> sets, std::vector<ModelInput> inputs)
      : m_sets(std::move(sets)), m_inputs(std::move(inputs)) {}

  const Tensor& tensor(std::size_t set, std::size_t input) {
    if (m_loaded != set || input == 0) load(set);
    return m_tensors[input];
  }

 private:
  void load(std::size_t set) {
    m_loaded.reset();
    m_tensors.clear();
    std::vector<NamedTensor> found;
    for (const std::filesystem::path& file : inputFiles(m_sets[set])) {
      found.push_back(readNamedTensorFile(file));
    }
    if (found.size() != m_inputs.size()) {
      throw Error(ErrorCode::InvalidData,
                  "the set holds " + std::to_string(found.size()) + " inputs, the model wants " +
                      describe(m_inputs),
                  {.file = m_sets[set].string(), .node = {}, .value = {}},
                  "give a file input_N.pb for each input");
    }
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
      m_tensors.push_back(found[position(found, i)].tensor);
    }
    m_loaded = set;
  }

  // Matches by name if all names are the model's, else by order.
  std::size_t position(const std::vector<NamedTensor>& found, std::size_t input) const {
    const auto positionOf = [&](const std::string& name) {
      return std::ranges::find(found, name, &NamedTensor::name) - found.begin();
    };
    const bool allNamed = std::ranges::all_of(m_inputs, [&](const ModelInput& wanted) {
      return positionOf(wanted.name) < std::ssize(found);
    });
    return allNamed ? static_cast<std::size_t>(positionOf(m_inputs[input].name)) : input;
  }

  std::vector<std::filesystem::path> m_sets;
  std::vector<ModelInput> m_inputs;
  std::optional<std::size_t> m_loaded;
  std::vector<Tensor> m_tensors;
};

class OnnxSetReader : public InputReader {
 public:
  OnnxSetReader(std::shared_ptr<OnnxSets> sets, std::size_t input)
      : m_sets(std::move(sets)), m_input(input) {}

  Tensor read(std::size_t index) override { return m_sets->tensor(index, m_input); }

 private:
  std::shared_ptr<OnnxSets> m_sets;
  std::size_t m_input;
};

}  // namespace

bool holdsOnnxSets(const std::filesystem::path& folder) {
  return std::ranges::any_of(listFolder(folder), isSet);
}

std::vector<InputData> openOnnxSets(const std::filesystem::path& folder,
                                    const std::vector<ModelInput>& inputs) {
  std::vector<std::filesystem::path> sets = listFolder(folder);
  std::erase_if(sets, [](const std::filesystem::path& path) { return !isSet(path); });
  std::ranges::sort(sets, {}, sortKey);

  const std::size_t count = sets.size();
  const auto shared = std::make_shared<OnnxSets>(std::move(sets), inputs);
  std::vector<InputData> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(
        {inputs[i], Cut::WholeFeeds, count, std::make_unique<OnnxSetReader>(shared, i)});
  }
  return result;
}

}  // namespace quantscope

#include "compare/paired_inputs.h"

#include <algorithm>

#include "base/error.h"
#include "calibration/sources/model_input.h"

namespace quantscope {
namespace {

bool mayTake(const ModelInput& first, const ModelInput& second) {
  if (!first.shape || !second.shape) return true;
  if (first.shape->size() != second.shape->size()) return false;
  for (std::size_t i = 0; i < first.shape->size(); ++i) {
    const Dimension& a = (*first.shape)[i];
    const Dimension& b = (*second.shape)[i];
    if (a.known() && b.known() && a.extent != b.extent) return false;
  }
  return true;
}

[[noreturn]] void throwUnlike(const std::vector<ModelInput>& first,
                              const std::vector<ModelInput>& second, const std::string& what) {
  throw Error(ErrorCode::InvalidParameters,
              what + ": one model takes " + describe(first) + ", the other " + describe(second), {},
              "compare models that take the same samples");
}

}  // namespace

PairedInputs::PairedInputs(const ComparedModel& first, const ComparedModel& second)
    : m_second(second) {
  const std::vector<ModelInput> ours = modelInputs(first.graph());
  const std::vector<ModelInput> theirs = modelInputs(second.graph());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const auto named = std::ranges::find(ours, theirs[i].name, &ModelInput::name);
    const bool placed = named == ours.end() && i < ours.size();
    if (named == ours.end() && !placed) {
      throwUnlike(ours, theirs, "the models do not have the same inputs");
    }
    const ModelInput& source = placed ? ours[i] : *named;
    if (!mayTake(source, theirs[i])) {
      throwUnlike(ours, theirs,
                  "the inputs '" + source.name + "' and '" + theirs[i].name +
                      "' do not have the same shape");
    }
    m_pairs.emplace_back(source.value, theirs[i].value);
  }
}

Feed PairedInputs::forSecond(const Feed& feed) const {
  Feed result = feed;
  result.inputs.clear();
  for (const auto& [first, second] : m_pairs) {
    const auto source = std::ranges::find(feed.inputs, first, &std::pair<ValueId, Tensor>::first);
    if (source == feed.inputs.end()) continue;
    const Tensor& tensor = source->second;
    const auto wanted = m_second.graph()[second].type.element;
    const bool same = !wanted || *wanted == tensor.type();
    result.inputs.emplace_back(
        second,
        same ? tensor : m_second.tensorOf(second, toFloat32(toLayout(tensor, Layout::Plain))));
  }
  return result;
}

}  // namespace quantscope

#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// X [length, batch, size] gives Y [length, directions, batch, hidden] and the last states
// [directions, batch, hidden]; with layout 1 the batch comes first everywhere.
void recur(Context& context) {
  const Node& node = context.node();
  const bool batchFirst = node.integer("layout", 0) != 0;
  const Dimension directions = known(node.text("direction", "forward") == "bidirectional" ? 2 : 1);
  Dimension hidden = node.has("hidden_size") ? known(node.integer("hidden_size", 0)) : unknown();
  const Dimensions* recurrent = context.shape(2);
  if (!hidden.known() && recurrent != nullptr && !recurrent->empty()) hidden = recurrent->back();

  const Dimensions* input = context.shape(0);
  const bool isKnown = input != nullptr && input->size() == 3;
  const Dimension length = isKnown ? (*input)[batchFirst ? 1 : 0] : unknown();
  const Dimension batch = isKnown ? (*input)[batchFirst ? 0 : 1] : unknown();
  context.setOutput(0, context.element(0),
                    batchFirst ? Dimensions{batch, length, directions, hidden}
                               : Dimensions{length, directions, batch, hidden});
  for (std::size_t i = 1; i < 3; ++i) {
    context.setOutput(
        i, context.element(0),
        batchFirst ? Dimensions{batch, directions, hidden} : Dimensions{directions, batch, hidden});
  }
}

constexpr std::array kRecurrenceRules = std::to_array<RuleEntry>({
    {"GRU", recur},
    {"LSTM", recur},
    {"RNN", recur},
});

}  // namespace

std::span<const RuleEntry> recurrenceRules() {
  return kRecurrenceRules;
}

}  // namespace quantscope::inference

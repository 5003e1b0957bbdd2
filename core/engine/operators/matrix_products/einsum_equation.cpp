#include "engine/operators/matrix_products/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

constexpr EinsumLabel kEllipsis = 0;

[[noreturn]] void throwMalformed(std::string_view text) {
  throw Error(ErrorCode::InvalidModel, "'" + std::string(text) + "' is no equation of an Einsum");
}

EinsumTerm parseTerm(std::string_view text) {
  EinsumTerm term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      term.push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && std::ranges::count(term, kEllipsis) == 0) {
      term.push_back(kEllipsis);
      i += 2;
    } else {
      throwMalformed(text);
    }
  }
  return term;
}

// The ellipsis replaced by `axes` labels.
EinsumTerm expanded(const EinsumTerm& term, std::size_t axes) {
  EinsumTerm result;
  for (const EinsumLabel label : term) {
    if (label != kEllipsis) {
      result.push_back(label);
      continue;
    }
    for (std::size_t i = axes; i > 0; --i) result.push_back(-static_cast<EinsumLabel>(i));
  }
  return result;
}

EinsumTerm implicitOutput(const std::vector<EinsumTerm>& inputs) {
  std::map<EinsumLabel, int> counts;
  for (const EinsumTerm& term : inputs) {
    for (const EinsumLabel label : term) ++counts[label];
  }
  EinsumTerm output;
  if (counts.contains(kEllipsis)) output.push_back(kEllipsis);
  for (const auto& [label, count] : counts) {
    if (label != kEllipsis && count == 1) output.push_back(label);
  }
  return output;
}

}  // namespace

EinsumEquation::EinsumEquation(std::string_view text) {
  const std::size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string_view::npos;
       comma = left.find(',')) {
    m_inputs.push_back(parseTerm(left.substr(0, comma)));
    left.remove_prefix(comma + 1);
  }
  m_inputs.push_back(parseTerm(left));
  m_output = arrow == std::string_view::npos ? implicitOutput(m_inputs)
                                             : parseTerm(text.substr(arrow + 2));
  for (const EinsumLabel label : m_output) {
    const bool known = std::ranges::any_of(
        m_inputs, [label](const EinsumTerm& term) { return std::ranges::count(term, label) > 0; });
    const bool once = std::ranges::count(m_output, label) == 1;
    if (!once || (!known && label != kEllipsis)) throwMalformed(text);
  }
}

std::vector<EinsumTerm> EinsumEquation::inputs(std::span<const std::size_t> ranks) const {
  std::vector<EinsumTerm> terms;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const EinsumTerm& term = m_inputs[i];
    const bool open = std::ranges::count(term, kEllipsis) > 0;
    const std::size_t letters = term.size() - (open ? 1 : 0);
    if (ranks[i] < letters || (!open && ranks[i] != letters)) {
      throw Error(ErrorCode::InvalidParameters,
                  "operand " + std::to_string(i) + " of the Einsum has " +
                      std::to_string(ranks[i]) + " axes, the equation names " +
                      std::to_string(letters));
    }
    terms.push_back(expanded(term, ranks[i] - letters));
  }
  return terms;
}

EinsumTerm EinsumEquation::output(const std::vector<EinsumTerm>& inputs) const {
  EinsumLabel axes = 0;
  for (const EinsumTerm& term : inputs) {
    for (const EinsumLabel label : term) axes = std::max(axes, -label);
  }
  return expanded(m_output, static_cast<std::size_t>(axes));
}

}  // namespace quantscope

#include "precision/edits/edit_precision.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "precision/config/precision_words.h"
#include "precision/config/replace_types.h"
#include "precision/config/resolved_config.h"

namespace quantscope {
namespace {

using Kind = PrecisionTarget::Kind;

[[noreturn]] void failOn(const PrecisionTarget& target, const std::string& name) {
  throw Error(ErrorCode::InvalidConfiguration,
              "the model has no " + (target.kind == Kind::Nodes
                                         ? "node '" + name + "'"
                                         : "node that " + describe(target) + " stands for"),
              {}, "use a name that `inspect` lists");
}

// Each field of an edit with what it sets.
template <class Visit>
void forEachField(const Visit& visit) {
  visit(&TensorFields::type, &TensorPrecision::type);
  visit(&TensorFields::symmetric, &TensorPrecision::symmetric);
  visit(&TensorFields::granularity, &TensorPrecision::granularity);
  visit(&TensorFields::observer, &TensorPrecision::observer);
  visit(&TensorFields::dynamic, &TensorPrecision::dynamic);
  visit(&TensorFields::range, &TensorPrecision::range);
  visit(&TensorFields::lowest, &TensorPrecision::lowest);
  visit(&TensorFields::highest, &TensorPrecision::highest);
}

// The entry of the target alone; nullptr if there is none.
const NodePrecision* findEntry(const PrecisionConfig& config, ConfigStep::Entry place,
                               const std::string& name) {
  if (place == ConfigStep::Entry::Pattern) {
    const auto found = std::ranges::find_if(config.patterns, [&](const PatternPrecision& entry) {
      return entry.match.expression() == name;
    });
    return found == config.patterns.end() ? nullptr : &found->use;
  }
  const auto& entries = place == ConfigStep::Entry::OpType ? config.opTypes : config.nodes;
  const auto found =
      std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == name; });
  return found == entries.end() ? nullptr : &found->second;
}

bool isAnyNode(const Graph& graph, const PrecisionTarget& target, const std::string& expression) {
  if (target.kind == Kind::OpType) {
    return std::ranges::any_of(graph.nodes(),
                               [&](const Node& node) { return node.op == target.names.at(0); });
  }
  const NamePattern pattern(expression);
  return std::ranges::any_of(graph.nodes(),
                             [&](const Node& node) { return pattern.matches(node.name); });
}

/// The entries that an edit of a target is about.
struct Entries {
  ConfigStep::Entry place = ConfigStep::Entry::Default;
  std::vector<std::string> names;
};

Entries entriesOf(const Graph& graph, const PrecisionTarget& target) {
  Entries entries;
  switch (target.kind) {
    case Kind::Default:
      return {ConfigStep::Entry::Default, {}};
    case Kind::OpType:
      entries = {ConfigStep::Entry::OpType, {target.names.at(0)}};
      break;
    case Kind::Pattern:
      entries = {ConfigStep::Entry::Pattern, {target.names.at(0)}};
      break;
    case Kind::Scope:
      entries = {ConfigStep::Entry::Pattern, {scopeExpression(target.names.at(0))}};
      break;
    case Kind::Nodes:
      for (const std::string& name : target.names) {
        if (!graph.findNode(name).valid()) failOn(target, name);
      }
      return {ConfigStep::Entry::Node, target.names};
  }
  if (!isAnyNode(graph, target, entries.names.front())) failOn(target, {});
  return entries;
}

// Entries of nodes inside a scope, which would beat its pattern.
std::vector<std::string> nodesInside(const PrecisionConfig& config, const PrecisionTarget& target) {
  std::vector<std::string> inside;
  if (target.kind != Kind::Scope) return inside;
  const NamePattern pattern(scopeExpression(target.names.at(0)));
  for (const auto& [node, precision] : config.nodes) {
    if (pattern.matches(node)) inside.push_back(node);
  }
  return inside;
}

std::string words(const TensorFields& fields, TensorRole role) {
  std::string text;
  const auto add = [&](const std::string& what) { text += " " + what; };
  if (fields.type) add(std::string(name(*fields.type)));
  if (fields.symmetric) add(*fields.symmetric ? "symmetric" : "asymmetric");
  if (fields.granularity) add(words(*fields.granularity));
  if (fields.dynamic) add(*fields.dynamic ? "dynamic" : "static");
  if (fields.observer) add(toString(*fields.observer));
  if (fields.range) {
    add(*fields.range ? rangeWords(**fields.range) : "the range that is observed");
  }
  const auto code = [&](const char* what, const std::optional<std::int32_t>& limit) {
    add(limit ? std::string(what) + " code " + std::to_string(*limit)
              : std::string("the type's ") + what + " code");
  };
  if (fields.lowest) code("lowest", *fields.lowest);
  if (fields.highest) code("highest", *fields.highest);
  return text.empty() ? text : words(role) + text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

TensorFields fieldsOf(const TensorPrecision& precision) {
  TensorFields fields;
  forEachField([&](auto field, auto member) { fields.*field = precision.*member; });
  return fields;
}

TensorFields changedFields(const TensorPrecision& before, const TensorPrecision& after) {
  TensorFields fields;
  forEachField([&](auto field, auto member) {
    if (before.*member != after.*member) fields.*field = after.*member;
  });
  return fields;
}

TensorFields merged(TensorFields over, const TensorFields& under) {
  forEachField([&](auto field, auto) {
    if (!(over.*field)) over.*field = under.*field;
  });
  return over;
}

PrecisionFields fieldsOf(const NodePrecision& precision) {
  return {precision.float32, fieldsOf(precision.weight), fieldsOf(precision.activation),
          fieldsOf(precision.output)};
}

TensorPrecision withFields(TensorPrecision precision, const TensorFields& fields) {
  if (fields.type) setType(precision, *fields.type);
  if (fields.dynamic.value_or(precision.dynamic)) precision.range.reset();
  forEachField([&](auto field, auto member) {
    if (fields.*field) precision.*member = *(fields.*field);
  });
  return precision;
}

NodePrecision withFields(NodePrecision precision, const PrecisionFields& fields) {
  precision.weight = withFields(precision.weight, fields.weight);
  precision.activation = withFields(precision.activation, fields.activation);
  precision.output = withFields(precision.output, fields.output);
  const bool quantized =
      !fields.weight.empty() || !fields.activation.empty() || !fields.output.empty();
  precision.float32 = fields.float32.value_or(precision.float32 && !quantized);
  if (!precision.float32) return precision;
  NodePrecision float32 = defaultPrecision();
  float32.float32 = true;
  return float32;
}

bool hasEntry(const PrecisionConfig& config, const PrecisionTarget& target) {
  const auto has = [&](ConfigStep::Entry place, const std::string& name) {
    return findEntry(config, place, name) != nullptr;
  };
  switch (target.kind) {
    case Kind::Default:
      return true;
    case Kind::OpType:
      return has(ConfigStep::Entry::OpType, target.names.at(0));
    case Kind::Pattern:
      return has(ConfigStep::Entry::Pattern, target.names.at(0));
    case Kind::Scope:
      return has(ConfigStep::Entry::Pattern, scopeExpression(target.names.at(0)));
    case Kind::Nodes:
      break;
  }
  return std::ranges::any_of(
      target.names, [&](const std::string& name) { return has(ConfigStep::Entry::Node, name); });
}

std::string describe(const PrecisionTarget& target) {
  switch (target.kind) {
    case Kind::OpType:
      return "every " + target.names.at(0);
    case Kind::Pattern:
      return "names like " + target.names.at(0);
    case Kind::Scope:
      return "scope " + target.names.at(0);
    case Kind::Nodes:
      return target.names.size() == 1 ? target.names.front()
                                      : std::to_string(target.names.size()) + " nodes";
    case Kind::Default:
      break;
  }
  return "everything";
}

std::string scopeExpression(const std::string& scope) {
  constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";
  std::string expression;
  for (const char c : scope) {
    if (kSpecial.find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression + "[/.].*";
}

std::string words(const PrecisionFields& fields) {
  if (fields.float32 == true) return "float";
  const auto type = fields.weight.type;
  const bool typeAlone = type && fields.weight == TensorFields{.type = type} &&
                         fields.activation == fields.weight && fields.output == fields.weight;
  const bool allHalf =
      type && !hasScale(*type) && fields.activation.type == type && fields.output.type == type;
  if (typeAlone || allHalf) return upper(std::string(name(*type)));
  std::string text;
  const auto add = [&](const std::string& what) {
    if (!what.empty()) text += (text.empty() ? "" : ", ") + what;
  };
  add(words(fields.weight, TensorRole::Weight));
  add(words(fields.activation, TensorRole::Activation));
  if (fields.output != fields.activation) add(words(fields.output, TensorRole::Output));
  return text.empty() ? "what it is" : text;
}

ConfigEdit setPrecision(const Configuration& config, const Graph& graph,
                        const PrecisionTarget& target, const PrecisionFields& fields) {
  const PrecisionConfig& precision = *config.precision;
  const Entries entries = entriesOf(graph, target);
  ConfigEdit edit{"set " + describe(target) + " to " + words(fields), {}};
  if (target.kind == Kind::Default) {
    edit.steps.push_back(
        {.place = ConfigStep::Entry::Default, .value = withFields(precision.defaults, fields)});
    return edit;
  }
  std::optional<ResolvedConfig> resolved;
  if (target.kind == Kind::Nodes) resolved.emplace(graph, precision);
  for (const std::string& name : entries.names) {
    const NodePrecision* before = findEntry(precision, entries.place, name);
    const NodePrecision& otherwise =
        resolved ? (*resolved)[graph.findNode(name)] : precision.defaults;
    ConfigStep step{.place = entries.place,
                    .name = name,
                    .value = withFields(before != nullptr ? *before : otherwise, fields)};
    if (entries.place == ConfigStep::Entry::Pattern) step.position = 0;
    edit.steps.push_back(std::move(step));
  }
  for (const std::string& node : nodesInside(precision, target)) {
    edit.steps.push_back(
        {.place = ConfigStep::Entry::Node,
         .name = node,
         .value = withFields(*findEntry(precision, ConfigStep::Entry::Node, node), fields)});
  }
  return edit;
}

ConfigEdit clearPrecision(const Configuration& config, const Graph& graph,
                          const PrecisionTarget& target) {
  if (target.kind == Kind::Default) {
    return setDefault(defaultPrecision(), "set everything to the built-in default");
  }
  const Entries entries = entriesOf(graph, target);
  ConfigEdit edit{"remove what is set for " + describe(target), {}};
  for (const std::string& name : entries.names) {
    edit.steps.push_back({.place = entries.place, .name = name});
  }
  for (const std::string& node : nodesInside(*config.precision, target)) {
    edit.steps.push_back({.place = ConfigStep::Entry::Node, .name = node});
  }
  return edit;
}

}  // namespace quantscope

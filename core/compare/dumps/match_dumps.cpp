#include "compare/dumps/match_dumps.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "compare/matching/match_values.h"

namespace quantscope {
namespace {

class Matcher {
 public:
  Matcher(const Engine& engine, const DumpFolder& dumps) : m_engine(engine), m_dumps(dumps) {}

  MatchedDumps match(const NamedMatches& byHand) {
    for (const auto& [ours, theirs] : byHand) addByHand(ours, theirs);
    for (const DumpedValue& dumped : m_dumps.values()) {
      if (!m_decided.contains(dumped.name)) addByName(dumped);
    }
    return std::move(m_result);
  }

 private:
  const Graph& graph() const { return m_engine.graph(); }

  bool isComputed(ValueId value) const {
    return value.valid() && m_engine.constant(value) == nullptr &&
           graph()[value].block == Graph::mainBlock();
  }

  ValueId valueOf(const std::string& name) const {
    const ValueId value = graph().findValue(name);
    if (isComputed(value)) return value;
    throw Error(ErrorCode::InvalidParameters, "the model computes no value '" + name + "'",
                {.file = m_dumps.path().string(), .node = {}, .value = {}},
                "use a name that `inspect --json -` lists");
  }

  const DumpedValue& dumpOf(const std::string& name) const {
    const auto found = std::ranges::find(m_dumps.values(), name, &DumpedValue::name);
    if (found != m_dumps.values().end()) return *found;
    throw Error(ErrorCode::InvalidParameters, "there is no dump '" + name + "'",
                {.file = m_dumps.path().string(), .node = {}, .value = {}},
                "use a name of the manifest");
  }

  void addByHand(const std::string& ours, const std::string& theirs) {
    const ValueId value = ours.empty() ? ValueId() : valueOf(ours);
    const DumpedValue* dumped = theirs.empty() ? nullptr : &dumpOf(theirs);
    if (value.valid()) m_taken.insert(value);
    if (dumped != nullptr) m_decided.insert(dumped->name);
    if (value.valid() && dumped != nullptr) {
      m_result.found[value] = {dumped, true};
    } else if (dumped != nullptr) {
      m_result.unmatched.push_back(dumped->name);
    }
  }

  void addByName(const DumpedValue& dumped) {
    ValueId value = graph().findValue(dumped.name);
    if (!value.valid()) value = graph().findValue(plainName(dumped.name));
    // What is constant cannot leave.
    if (value.valid() && m_engine.constant(value) != nullptr) return;
    if (isComputed(value) && m_taken.insert(value).second) {
      m_result.found[value] = {&dumped, false};
    } else {
      m_result.unmatched.push_back(dumped.name);
    }
  }

  const Engine& m_engine;
  const DumpFolder& m_dumps;
  std::set<ValueId> m_taken;        // values that have their dump, or none by hand
  std::set<std::string> m_decided;  // dumps that somebody spoke about
  MatchedDumps m_result;
};

}  // namespace

MatchedDumps matchDumps(const Engine& engine, const DumpFolder& dumps, const NamedMatches& byHand) {
  return Matcher(engine, dumps).match(byHand);
}

}  // namespace quantscope

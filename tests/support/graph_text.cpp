#include "support/graph_text.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "onnx/names.h"
#include "onnx/operator_versions.h"
#include "onnx/shape_inference.h"
#include "support/text_cursor.h"
#include "support/text_literals.h"

namespace quantscope::test {
namespace {

std::string withoutComment(const std::string& line) {
  bool isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') isQuoted = !isQuoted;
    if (line[i] == '#' && !isQuoted) return line.substr(0, i);
  }
  return line;
}

class GraphParser {
 public:
  GraphParser(std::string_view text, int opset) : m_lines(std::string(text)) {
    m_opsets[""] = opset;
  }

  Graph parse() {
    parseBlock(Graph::mainBlock(), "");
    if (m_graph.outputs().empty()) chooseOutputs();
    for (const auto& [domain, version] : m_opsets) m_graph.opsets.emplace_back(domain, version);
    m_graph.finish();
    inferShapes(m_graph);
    return std::move(m_graph);
  }

 private:
  // Returns the line that closes the block, past its brace.
  TextCursor parseBlock(BlockId block, const std::string& prefix) {
    std::string line;
    while (std::getline(m_lines, line)) {
      line = withoutComment(line);
      TextCursor text(line);
      if (text.atEnd()) continue;
      if (text.take("}")) return text;
      const bool isNode = line.find('=') != std::string::npos;
      isNode ? parseNode(text, block, prefix) : parseDeclaration(text, block);
    }
    if (block != Graph::mainBlock()) TextCursor(line).fail("expected '}'");
    return TextCursor("");
  }

  void parseDeclaration(TextCursor& text, BlockId block) {
    if (text.take("opset ")) {
      parseOpset(text);
    } else if (text.take("input ")) {
      const ValueId id = parseResult(text, block);
      m_graph.mutableBlock(block).inputs.push_back(id);
    } else if (text.take("output ")) {
      m_graph.mutableBlock(block).outputs.push_back(parseOperand(text, block));
    } else {
      parseOperand(text, block);
    }
    if (!text.atEnd()) text.fail("unexpected text");
  }

  void parseOpset(TextCursor& text) {
    const std::string first = text.word("");
    const std::string second = text.word("");
    m_opsets[second.empty() ? "" : first] = std::stoi(second.empty() ? first : second);
  }

  void parseNode(TextCursor& text, BlockId block, const std::string& prefix) {
    Node node;
    node.block = block;
    do {
      TextCursor ahead = text;
      const bool isOmitted = ahead.word(kWordEnds) == "_";
      if (isOmitted) text = ahead;
      node.outputs.push_back(isOmitted ? ValueId{} : parseResult(text, block));
    } while (text.take(","));
    text.expect("=");
    parseOperator(text, node);
    parseOperands(text, block, node);
    node.name = prefix + madeUpNodeName(node.op, nameOfFirst(node.outputs));
    const NodeId id = m_graph.addNode(std::move(node));
    parseDetails(text, id, prefix);
  }

  // What follows the operands: attributes, the node's name, bodies.
  void parseDetails(TextCursor text, NodeId id, const std::string& prefix) {
    while (!text.atEnd()) {
      if (text.take("@")) {
        m_graph.mutableNode(id).name = prefix + text.word("");
        continue;
      }
      const std::string key = text.word(kWordEnds);
      text.expect("=");
      if (text.take("{")) {
        text = parseBody(key, id);
      } else {
        m_graph.mutableNode(id).attributes.push_back({key, parseAttributeData(text)});
      }
    }
  }

  TextCursor parseBody(const std::string& key, NodeId owner) {
    const BlockId body = m_graph.addBlock(owner);
    m_graph.mutableNode(owner).bodies.emplace_back(key, body);
    return parseBlock(body, m_graph[owner].name + "/" + key + "/");
  }

  void parseOperator(TextCursor& text, Node& node) {
    const std::string full = text.word("(");
    const std::size_t dot = full.rfind('.');
    node.op = dot == std::string::npos ? full : full.substr(dot + 1);
    node.domain = dot == std::string::npos ? "" : full.substr(0, dot);
    node.version = operatorVersion(node.domain, node.op, m_opsets[node.domain]);
  }

  void parseOperands(TextCursor& text, BlockId block, Node& node) {
    text.expect("(");
    while (!text.take(")")) {
      const bool omitted = text.peek() == ',';
      node.inputs.push_back(omitted ? ValueId{} : parseOperand(text, block));
      if (!text.take(",") && text.peek() != ')') text.fail("expected ',' or ')'");
    }
  }

  // A value that exists, or a constant that is written in place.
  ValueId parseOperand(TextCursor& text, BlockId block) {
    const std::string valueName = text.word(kWordEnds);
    if (text.take(":")) {
      const ValueId id = define(valueName, block, text);
      setConstant(id, parseTensor(text, valueName));
      return id;
    }
    const auto found = m_values.find(valueName);
    if (found == m_values.end()) text.fail("nothing defines '" + valueName + "'");
    return found->second;
  }

  // A new value, perhaps with its type.
  ValueId parseResult(TextCursor& text, BlockId block) {
    const ValueId id = define(text.word(kWordEnds), block, text);
    if (text.take(":")) m_graph.mutableValue(id).type = parseType(text);
    return id;
  }

  ValueId define(const std::string& valueName, BlockId block, const TextCursor& text) {
    Value value;
    value.name = valueName;
    value.block = block;
    const ValueId id = m_graph.addValue(std::move(value));
    if (valueName.empty() || !m_values.emplace(valueName, id).second) {
      text.fail("'" + valueName + "' is empty or defined twice");
    }
    return id;
  }

  void setConstant(ValueId id, Tensor constant) {
    Value& value = m_graph.mutableValue(id);
    value.type = {.element = constant.type(), .shape = std::vector<Dimension>()};
    for (const std::int64_t extent : constant.shape()) value.type.shape->push_back({extent, {}});
    value.constant = std::move(constant);
  }

  std::string nameOfFirst(const std::vector<ValueId>& outputs) const {
    const auto first = std::ranges::find_if(outputs, &ValueId::valid);
    return first == outputs.end() ? std::string() : m_graph[*first].name;
  }

  void chooseOutputs() {
    std::vector<bool> isRead(m_graph.values().size(), false);
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      for (const ValueId id : readValues(m_graph, NodeId(i))) isRead[id.at()] = true;
    }
    for (std::size_t i = 0; i < isRead.size(); ++i) {
      const Value& value = m_graph.values()[i];
      if (isRead[i] || !value.producer.valid() || value.block != Graph::mainBlock()) continue;
      m_graph.mutableBlock(Graph::mainBlock()).outputs.push_back(ValueId(i));
    }
  }

  std::istringstream m_lines;
  Graph m_graph;
  std::map<std::string, ValueId> m_values;
  std::map<std::string, int> m_opsets;
};

}  // namespace

std::shared_ptr<const Graph> graphFromText(std::string_view text, int opset) {
  return std::make_shared<const Graph>(GraphParser(text, opset).parse());
}

}  // namespace quantscope::test

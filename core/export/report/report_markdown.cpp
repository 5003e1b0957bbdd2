#include "export/report/report_markdown.h"

#include "export/report/markdown_text.h"

namespace quantscope {
namespace {

std::string tableRow(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + escapeMarkdown(cell) + " |";
  return row + "\n";
}

std::string table(const ReportSection& section) {
  if (section.columns.empty()) return {};
  std::string text = tableRow(section.columns) + "|";
  for (std::size_t i = 0; i < section.columns.size(); ++i) text += " --- |";
  text += "\n";
  for (const std::vector<std::string>& row : section.rows) text += tableRow(row);
  return text + "\n";
}

std::string list(const ReportSection& section) {
  std::string text;
  for (const std::vector<std::string>& point : section.points) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      text += (i == 0 ? "- " : "  - ") + escapeMarkdown(point[i]) + "\n";
    }
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string reportMarkdown(const ReportSource& source) {
  std::string text = "# " + escapeMarkdown(reportTitle(source)) + "\n\n";
  for (const ReportSection& section : reportOutline(source)) {
    text += "## " + section.title + "\n\n";
    for (const std::string& sentence : section.sentences) text += escapeMarkdown(sentence) + "\n\n";
    text += table(section) + list(section);
  }
  text.pop_back();
  return text;
}

}  // namespace quantscope

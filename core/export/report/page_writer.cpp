#include "export/report/page_writer.h"

#include <algorithm>

#include "onnx/names.h"

namespace quantscope {
namespace {

constexpr Colour kInk{34, 38, 46};
constexpr Colour kLine{206, 211, 219};

constexpr int kWidth = 595;  // A4
constexpr int kHeight = 842;
constexpr int kMargin = 42;
constexpr double kText = 9;
constexpr double kCellText = 7.5;
constexpr double kLineHeight = 1.4;  // in sizes of the text
constexpr double kCellGap = 8;

std::size_t characterLength(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return end - begin;
}

}  // namespace

PageWriter::PageWriter() {
  beginPage();
}

void PageWriter::beginPage() {
  m_pages.push_back({Picture(), kWidth, kHeight});
  m_y = kMargin;
}

void PageWriter::need(double height) {
  if (m_y + height > kHeight - kMargin && m_y > kMargin) beginPage();
}

void PageWriter::space(double height) {
  m_y += height;
}

// Breaks between words; a word that is wider than a line is broken anywhere.
std::vector<std::string> PageWriter::wrapped(std::string_view text, double width, double size) {
  const std::string line = printableName(text);
  std::vector<std::string> lines;
  std::string current;
  double filled = 0;
  const auto finish = [&] {
    lines.push_back(std::move(current));
    current.clear();
    filled = 0;
  };
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size() - 1) + 1;
    const std::string word = line.substr(begin, end - begin);
    const double wordWidth = page().textWidth(word, size);
    if (filled > 0 && filled + wordWidth > width) finish();
    if (wordWidth <= width) {
      current += word;
      filled += wordWidth;
    } else {
      for (std::size_t i = 0; i < word.size();) {
        const std::string character = word.substr(i, characterLength(word, i));
        const double room = page().textWidth(character, size);
        if (filled > 0 && filled + room > width) finish();
        current += character;
        filled += room;
        i += character.size();
      }
    }
    begin = end;
  }
  finish();
  return lines;
}

void PageWriter::heading(std::string_view text, double size) {
  // A heading does not stand alone at the end of a page.
  need(6 * size);
  space(size * 0.8);
  for (const std::string& line : wrapped(text, kWidth - 2 * kMargin, size)) {
    need(size * kLineHeight);
    page().text(kMargin, m_y + size, line, size, kInk);
    space(size * kLineHeight);
  }
  space(size * 0.3);
}

void PageWriter::paragraph(std::string_view text, double indent) {
  for (const std::string& line : wrapped(text, kWidth - 2 * kMargin - indent, kText)) {
    need(kText * kLineHeight);
    page().text(kMargin + indent, m_y + kText, line, kText, kInk);
    space(kText * kLineHeight);
  }
}

// Narrow columns get the width they need, wide ones share the rest.
std::vector<double> PageWriter::columnWidths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<double> widths(rows.front().size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], page().textWidth(row[i], kCellText) + 1);
    }
  }
  double left = kWidth - 2 * kMargin - kCellGap * static_cast<double>(widths.size() - 1);
  std::vector<std::size_t> order(widths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return widths[i]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    double& width = widths[order[i]];
    width = std::min(width, left / static_cast<double>(order.size() - i));
    left -= width;
  }
  return widths;
}

void PageWriter::table(const std::vector<std::vector<std::string>>& rows) {
  const std::vector<double> widths = columnWidths(rows);
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t most = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(wrapped(row[i], widths[i], kCellText));
      most = std::max(most, cells.back().size());
    }
    const double height = static_cast<double>(most) * kCellText * kLineHeight;
    need(height + 4);
    double x = kMargin;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double y = m_y + kCellText;
      for (const std::string& line : cells[i]) {
        page().text(x, y, line, kCellText, kInk);
        y += kCellText * kLineHeight;
      }
      x += widths[i] + kCellGap;
    }
    space(height + 4);
    page().fill(kMargin, static_cast<int>(m_y) - 2, kWidth - 2 * kMargin, 1, kLine);
  }
  space(4);
}

}  // namespace quantscope

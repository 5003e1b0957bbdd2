#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/pictures/picture.h"

namespace quantscope {

/// Writes lines of text and tables from top to bottom on A4 pages, in points; a new page begins
/// where the last one is full. Text that is too wide continues in the next line.
class PageWriter {
 public:
  PageWriter();

  void heading(std::string_view text, double size);
  /// A paragraph that begins `indent` points from the left margin.
  void paragraph(std::string_view text, double indent = 0);
  /// The first row stands as the heading. All rows have as many cells.
  void table(const std::vector<std::vector<std::string>>& rows);
  void space(double height);

  std::vector<PicturePage> take() { return std::move(m_pages); }

 private:
  Picture& page() { return m_pages.back().picture; }
  void beginPage();
  /// Room for so much, on a new page where this one has none.
  void need(double height);
  std::vector<std::string> wrapped(std::string_view text, double width, double size);
  std::vector<double> columnWidths(const std::vector<std::vector<std::string>>& rows);

  std::vector<PicturePage> m_pages;
  double m_y = 0;  // where the next line begins
};

}  // namespace quantscope

#include "export/report/report_pdf.h"

#include "export/pictures/heatmap_picture.h"
#include "export/report/page_writer.h"

namespace quantscope {
namespace {

constexpr double kTitleSize = 18;  // points
constexpr double kHeadingSize = 12;
constexpr double kIndent = 12;

void write(const ReportSection& section, PageWriter& writer) {
  writer.heading(section.title, kHeadingSize);
  for (const std::string& sentence : section.sentences) {
    writer.paragraph(sentence);
    writer.space(3);
  }
  if (!section.columns.empty()) {
    std::vector<std::vector<std::string>> rows{section.columns};
    rows.insert(rows.end(), section.rows.begin(), section.rows.end());
    writer.table(rows);
  }
  for (const std::vector<std::string>& point : section.points) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      writer.paragraph(i == 0 ? "• " + point[i] : point[i], i == 0 ? 0 : kIndent);
    }
    writer.space(3);
  }
}

}  // namespace

std::string reportPdf(const ReportSource& source) {
  PageWriter writer;
  writer.heading(reportTitle(source), kTitleSize);
  for (const ReportSection& section : reportOutline(source)) write(section, writer);
  std::vector<PicturePage> pages = writer.take();
  pages.push_back(drawHeatmap(source.result));
  return pdfOf(pages, {255, 255, 255});
}

}  // namespace quantscope

#include "export/glyphs.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "resources/glyphs_txt.h"

// The resource holds the characters from 32 to 127 as pictures of 5 by 9 dots, 16 in a band. A
// pen joins neighbouring dots: drawn with smooth strokes the letters stay clean at every size.

namespace quantscope {
namespace {

constexpr int kWidth = 5;
constexpr int kHeight = 9;
constexpr int kPerBand = 16;
constexpr int kFirst = 32;
constexpr int kCount = 96;
constexpr char kBox = 127;
constexpr float kGap = 1.6F;  // between the dots of neighbouring characters

using Picture = std::array<std::array<bool, kWidth + 2>, kHeight + 1>;  // with an empty border

// The picture of a character, one column to the right so that its neighbours always exist.
Picture pictureOf(int index) {
  constexpr std::size_t kLine = kPerBand * (kWidth + 1);  // with its line end
  const std::string_view dots = resources::glyphs_txt();
  Picture picture{};
  for (int row = 0; row < kHeight; ++row) {
    const std::size_t line = static_cast<std::size_t>(index / kPerBand * kHeight + row) * kLine;
    const std::size_t column = static_cast<std::size_t>(index % kPerBand * (kWidth + 1));
    for (std::size_t x = 0; x < kWidth; ++x) {
      picture[static_cast<std::size_t>(row)][x + 1] = dots.at(line + column + x) == '#';
    }
  }
  return picture;
}

// Dots that touch at a corner are joined unless a third one joins them already.
std::vector<Stroke> strokesOf(const Picture& picture) {
  std::vector<Stroke> strokes;
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 1; x <= kWidth; ++x) {
      if (!picture[y][x]) continue;
      const auto fx = static_cast<float>(x);
      const auto fy = static_cast<float>(y);
      const std::size_t before = strokes.size();
      const bool right = picture[y][x + 1];
      const bool below = picture[y + 1][x];
      if (right) strokes.push_back({fx, fy, fx + 1, fy});
      if (below) strokes.push_back({fx, fy, fx, fy + 1});
      if (picture[y + 1][x + 1] && !right && !below) strokes.push_back({fx, fy, fx + 1, fy + 1});
      if (picture[y + 1][x - 1] && !picture[y][x - 1] && !below) {
        strokes.push_back({fx, fy, fx - 1, fy + 1});
      }
      if (strokes.size() == before) strokes.push_back({fx, fy, fx, fy});
    }
  }
  return strokes;
}

class Alphabet {
 public:
  Alphabet() {
    for (int i = 0; i < kCount; ++i) add(i);
  }
  const Glyph& operator[](char character) const {
    const int index = static_cast<unsigned char>(character) - kFirst;
    return m_glyphs[static_cast<std::size_t>(index >= 0 && index < kCount ? index : kBox - kFirst)];
  }

 private:
  void add(int index) {
    std::vector<Stroke>& strokes = m_strokes[static_cast<std::size_t>(index)];
    strokes = strokesOf(pictureOf(index));
    const char character = static_cast<char>(index + kFirst);
    const bool digit = character >= '0' && character <= '9';
    float left = 1;
    float right = digit ? kWidth : 1.5F;
    if (!digit && !strokes.empty()) {
      left = kWidth;
      right = 1;
      for (const Stroke& stroke : strokes) {
        left = std::min({left, stroke.fromX, stroke.toX});
        right = std::max({right, stroke.fromX, stroke.toX});
      }
    }
    for (Stroke& stroke : strokes) {
      stroke.fromX -= left;
      stroke.toX -= left;
    }
    m_glyphs[static_cast<std::size_t>(index)] = {strokes, right - left + kGap};
  }

  std::array<std::vector<Stroke>, kCount> m_strokes;
  std::array<Glyph, kCount> m_glyphs;
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

const Glyph& glyphOf(char character) {
  return alphabet()[character];
}

float widthInDots(std::string_view text) {
  float width = 0;
  for (const char character : text) width += glyphOf(character).advance;
  return width;
}

std::string drawable(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if ((byte & 0xC0) == 0x80) continue;  // the following bytes of a UTF-8 character
    result += byte >= kFirst && byte < kBox ? character : kBox;
  }
  return result;
}

}  // namespace quantscope

#include "export/pictures/colour_map.h"

#include <algorithm>
#include <cmath>

// The ramp runs from a quiet steel blue over sand and orange to crimson. It was made in OKLab
// (Ottosson 2020) as a curve through five colours with falling lightness and rising chroma, cut
// into steps of equal length: what looks twice as different is twice as many dB apart. Lightness
// falls all the way, also under simulated deuteranopia and protanopia (Viénot 1999), and blue
// against yellow is the difference that both keep, so the order is legible without seeing red and
// green. It ends before it gets dark, so that the hot end glows on a dark background too.

namespace quantscope {
namespace {

constexpr std::uint32_t kRamp[] = {
    0xB9CFE3, 0xBACFDA, 0xBACFD1, 0xBCCFC8, 0xBDCEBF, 0xBFCDB5, 0xC1CBAB, 0xC3CAA1, 0xC6C897,
    0xCAC58C, 0xCDC382, 0xD1C077, 0xD5BC6C, 0xD8B861, 0xDAB35A, 0xDCAE53, 0xDDA94D, 0xDEA448,
    0xDF9E42, 0xE0993D, 0xE09437, 0xE08E32, 0xE0892C, 0xE08327, 0xE07E21, 0xDF781C, 0xDE7318,
    0xDC6D15, 0xDB6813, 0xD96312, 0xD75D13, 0xD55815, 0xD35217, 0xD04D1A, 0xCE481D, 0xCB4220,
    0xC83D23, 0xC53726, 0xC23229, 0xBF2C2C, 0xBC262F};

constexpr std::size_t kSteps = std::size(kRamp) - 1;
static_assert(kErrorAnchorsDb.front() - kErrorAnchorsDb.back() == kSteps);

constexpr Colour fromHex(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8),
          static_cast<std::uint8_t>(hex)};
}

constexpr std::array<Colour, kSteps + 1> kColours = [] {
  std::array<Colour, kSteps + 1> colours;
  for (std::size_t i = 0; i <= kSteps; ++i) colours[i] = fromHex(kRamp[i]);
  return colours;
}();

std::uint8_t mix(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

double linear(std::uint8_t channel) {
  static const std::array<double, 256> kLinear = [] {
    std::array<double, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double value = static_cast<double>(i) / 255.0;
      table[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    }
    return table;
  }();
  return kLinear[channel];
}

double luminance(Colour colour) {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace

Colour errorColour(double sqnrDb) {
  const double calm = kErrorAnchorsDb.front();
  const double position =
      std::isnan(sqnrDb) ? kSteps : std::clamp(calm - sqnrDb, 0.0, static_cast<double>(kSteps));
  const auto step = std::min(static_cast<std::size_t>(position), kSteps - 1);
  const double share = position - static_cast<double>(step);
  const Colour a = kColours[step];
  const Colour b = kColours[step + 1];
  return {mix(a.red, b.red, share), mix(a.green, b.green, share), mix(a.blue, b.blue, share)};
}

std::span<const Colour> errorRamp() {
  return kColours;
}

Colour textColourOn(Colour background) {
  constexpr Colour kBlack{0, 0, 0};
  constexpr Colour kWhite{255, 255, 255};
  return contrast(background, kBlack) >= contrast(background, kWhite) ? kBlack : kWhite;
}

double contrast(Colour a, Colour b) {
  const double first = luminance(a);
  const double second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

std::string hexText(Colour colour) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t channel : {colour.red, colour.green, colour.blue}) {
    text += kDigits[channel >> 4];
    text += kDigits[channel & 15];
  }
  return text;
}

}  // namespace quantscope

#include "validators.h"

#include <charconv>
#include <cstdlib>

namespace quantscope::cli {

CLI::Validator wholeNumber(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            std::uint64_t number = 0;
            const char* last = text.data() + text.size();
            const auto [end, failure] = std::from_chars(text.data(), last, number);
            if (failure == std::errc{} && end == last && number >= low && number <= high) {
              return std::string();
            }
            return "'" + text + "' is no whole number from " + std::to_string(low) + " to " +
                   std::to_string(high);
          },
          ""};
}

CLI::Validator secondsAboveZero() {
  return {[](const std::string& text) {
            const bool above = std::strtod(text.c_str(), nullptr) > 0;
            return above ? std::string() : "'" + text + "' is no number of seconds above 0";
          },
          ""};
}

}  // namespace quantscope::cli

#include "engine/operators/indexing/n_grams.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

using Gram = std::vector<std::int64_t>;

struct Entry {
  std::size_t place;  // in the result
  float weight;
};

class Vectorizer {
 public:
  explicit Vectorizer(const Node& node)
      : m_shortest(node.integer("min_gram_length", 1)),
        m_longest(node.integer("max_gram_length", 1)),
        m_skips(node.integer("max_skip_count", 0)),
        m_mode(node.text("mode", "TF")) {
    const std::vector<std::int64_t> pool = node.integers("pool_int64s");
    const std::vector<std::int64_t> starts = node.integers("ngram_counts");
    const std::vector<std::int64_t> places = node.integers("ngram_indexes");
    const std::vector<float> weights = node.reals("weights");
    if (pool.empty() || m_shortest < 1 || m_longest < m_shortest || m_skips < 0) {
      throw Error(ErrorCode::UnsupportedOperation, "TfIdfVectorizer has no n-grams of numbers");
    }
    std::size_t entry = 0;
    for (std::size_t n = 1; n <= starts.size(); ++n) {
      const auto end = n < starts.size() ? starts[n] : static_cast<std::int64_t>(pool.size());
      for (auto i = starts[n - 1]; i + static_cast<std::int64_t>(n) <= end && i >= 0;
           i += static_cast<std::int64_t>(n), ++entry) {
        if (entry >= places.size() || places[entry] < 0 ||
            end > static_cast<std::int64_t>(pool.size())) {
          throw Error(ErrorCode::InvalidModel, "the n-grams of TfIdfVectorizer have no place");
        }
        const auto first = pool.begin() + i;
        const auto place = static_cast<std::size_t>(places[entry]);
        const float weight = entry < weights.size() ? weights[entry] : 1.0F;
        m_entries[Gram(first, first + static_cast<std::ptrdiff_t>(n))] = {place, weight};
        m_size = std::max(m_size, place + 1);
      }
    }
  }

  std::size_t size() const { return m_size; }

  // Counts each n-gram in the sequence, with up to a number of elements skipped in between.
  void count(std::span<const std::int64_t> sequence, std::span<float> result) const {
    // What is longer than the sequence does not stand in it.
    const std::int64_t length = std::ssize(sequence);
    for (std::int64_t n = m_shortest; n <= std::min(m_longest, length); ++n) {
      const std::int64_t skips = n == 1 ? 0 : std::min(m_skips, length);
      for (std::int64_t step = 1; step <= skips + 1; ++step) {
        for (std::int64_t i = 0; i + (n - 1) * step < length; ++i) {
          Gram gram;
          for (std::int64_t k = 0; k < n; ++k) {
            gram.push_back(sequence[static_cast<std::size_t>(i + k * step)]);
          }
          const auto found = m_entries.find(gram);
          if (found != m_entries.end()) add(found->second, result);
        }
      }
    }
  }

 private:
  void add(const Entry& entry, std::span<float> result) const {
    float& place = result[entry.place];
    if (m_mode == "TF") place += 1;
    if (m_mode == "IDF") place = entry.weight;
    if (m_mode == "TFIDF") place += entry.weight;
  }

  std::int64_t m_shortest;
  std::int64_t m_longest;
  std::int64_t m_skips;
  std::string m_mode;
  std::map<Gram, Entry> m_entries;
  std::size_t m_size = 0;
};

std::unique_ptr<Kernel> vectorize(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [vectorizer = Vectorizer(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor x = convertedTo(requiredInput(inputs, 0), ElementType::Int64);
        if (x.shape().rank() < 1 || x.shape().rank() > 2) {
          throw Error(ErrorCode::InvalidParameters,
                      "sequences of shape " + toString(x.shape()) + " are neither [C] nor [N, C]");
        }
        Shape shape = x.shape();
        const auto rows = static_cast<std::size_t>(shape.elementCount(0, shape.rank() - 1));
        const auto length = static_cast<std::size_t>(shape.back());
        shape[shape.rank() - 1] = static_cast<std::int64_t>(vectorizer.size());
        Tensor y = Tensor::zeros(ElementType::Float32, shape);
        for (std::size_t row = 0; row < rows; ++row) {
          vectorizer.count(
              x.values<std::int64_t>().subspan(row * length, length),
              y.mutableValues<float>().subspan(row * vectorizer.size(), vectorizer.size()));
        }
        setOutput(outputs, 0, std::move(y));
      });
}

}  // namespace

void registerNGrams(OperatorRegistry& registry) {
  registry.add("TfIdfVectorizer", {9}, vectorize);
}

}  // namespace quantscope

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "calibration/histograms/kept_bins.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

using Counts = std::vector<double>;

// Follows the definition: all sums are taken again for every candidate, one logarithm per bin.
double divergence(std::span<const double> counts, double outliers, std::size_t levels) {
  Counts reference(counts.begin(), counts.end());
  reference.back() += outliers;
  const double keptTotal = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (keptTotal <= 0 || keptTotal < outliers) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t first = level * counts.size() / levels;
    const std::size_t last = (level + 1) * counts.size() / levels;
    double merged = 0;
    double filled = 0;
    for (std::size_t i = first; i < last; ++i) {
      merged += counts[i];
      filled += reference[i] > 0 ? 1 : 0;
    }
    const double q = std::max(merged, 1e-4) / filled / keptTotal;
    double ofLevel = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (reference[i] <= 0) continue;
      const double p = reference[i] / (keptTotal + outliers);
      ofLevel += p * std::log(p / q);
    }
    sum += ofLevel;
  }
  return sum;
}

std::size_t bestByDefinition(std::span<const double> counts, double beyond, std::size_t levels) {
  std::size_t best = counts.size();
  double least = std::numeric_limits<double>::infinity();
  double outliers = beyond;
  for (std::size_t kept = counts.size(); kept >= levels && kept > 0; --kept) {
    const double found = divergence(counts.first(kept), outliers, levels);
    if (found < least) {
      least = found;
      best = kept;
    }
    outliers += counts[kept - 1];
  }
  return best;
}

// `scale` times what a bell of so many standard deviations puts into each bin, to whole numbers.
Counts bellCounts(std::size_t bins, double deviations, double scale) {
  Counts counts(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    const double x = deviations * (static_cast<double>(i) + 0.5) / static_cast<double>(bins);
    counts[i] = std::floor(scale * std::exp(-x * x / 2));
  }
  return counts;
}

Counts noisy(Counts counts, double noise) {
  std::mt19937 random(3);
  for (double& count : counts) {
    count = std::floor(count * (1 + noise * static_cast<double>(random() % 1000) / 1000));
  }
  return counts;
}

// Most bins are empty.
Counts sparse(std::size_t bins, unsigned filledOneIn, unsigned most) {
  std::mt19937 random(11);
  Counts counts(bins);
  for (double& count : counts) count = random() % filledOneIn == 0 ? 1 + random() % most : 0;
  counts.back() = 1;
  return counts;
}

// As bins that share a wider one have them.
Counts fractions(Counts counts) {
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] *= 1.0 / static_cast<double>(i % 13 + 3);
  return counts;
}

Counts followedBy(Counts counts, std::size_t empty, double last) {
  counts.resize(counts.size() + empty);
  counts.push_back(last);
  return counts;
}

Counts behind(const Counts& counts, std::size_t empty) {
  Counts all(empty);
  all.insert(all.end(), counts.begin(), counts.end());
  return all;
}

}  // namespace

/// The search for the bins that are best kept finds what its definition does, to the last bin.
class KeptBinsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsItsDefinition_data();
  void equalsItsDefinition();
  void equalCandidates();
};

void KeptBinsTest::equalsItsDefinition_data() {
  QTest::addColumn<Counts>("counts");
  QTest::addColumn<double>("beyond");
  const auto row = [](const char* name, const Counts& counts, double beyond) {
    QTest::newRow(name) << counts << beyond;
  };
  row("bell", bellCounts(1024, 5, 1e4), 0);
  row("bell, more beyond", bellCounts(700, 3, 1e4), 900);
  row("noisy bell", noisy(bellCounts(1200, 6, 40), 1), 0);
  row("huge counts", noisy(bellCounts(512, 4, 1e15), 0.5), 1e12);
  row("fractions", fractions(noisy(bellCounts(900, 5, 50), 1)), 0.75);
  row("tiny fractions", fractions(bellCounts(600, 30, 3)), 1e-9);
  row("sparse", sparse(1024, 20, 4), 0);
  row("sparse, huge", sparse(1024, 4, 1000000), 7);
  row("a few numbers", sparse(2048, 300, 2), 0);
  row("far outlier", followedBy(noisy(bellCounts(300, 4, 200), 1), 700, 1), 0);
  row("fractions and a far outlier", followedBy(fractions(bellCounts(200, 4, 1e9)), 500, 1e-3),
      1e9);
  row("even", Counts(700, 3), 0);
  row("even, more beyond", Counts(700, 3), 50);
  row("a bell behind a gap", noisy(behind(bellCounts(300, 4, 200), 500), 1), 3);
  row("nothing but the last", followedBy({}, 400, 5), 0);
  row("nothing but beyond", Counts(300), 5);
  row("fewer than levels", Counts{1, 2}, 1);
}

void KeptBinsTest::equalsItsDefinition() {
  QFETCH(Counts, counts);
  QFETCH(double, beyond);
  for (const std::size_t levels : {1, 2, 3, 8, 15, 127, 128, 255}) {
    QCOMPARE(bestKeptBins(counts, beyond, levels), bestByDefinition(counts, beyond, levels));
  }
}

// Every candidate whose levels hold equal bins has the divergence 0: the most bins win.
void KeptBinsTest::equalCandidates() {
  const Counts counts = followedBy(Counts(64, 2), 63, 0);
  QCOMPARE(bestKeptBins(counts, 0, 4), std::size_t{128});
  QCOMPARE(bestKeptBins(counts, 0, 128), std::size_t{128});
  QCOMPARE(bestKeptBins(Counts(16), 0, 4), std::size_t{16});
}

QUANTSCOPE_TEST(KeptBinsTest)
#include "test_kept_bins.moc"

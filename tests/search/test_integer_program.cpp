#include <QtTest>
#include <cmath>
#include <random>

#include "search/measured/greedy_choice.h"
#include "search/measured/integer_program.h"
#include "search/measured/tied_units.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// Small enough for every combination to be tried.
IntegerProgram randomProgram(std::mt19937& random) {
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  const auto real = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  IntegerProgram program;
  const int outputs = 1 + below(3);
  for (int unit = 0; unit < 2 + below(5); ++unit) {
    auto& choices = program.units.emplace_back();
    for (int kind = 0; kind < 2 + below(3); ++kind) {
      ProgramChoice choice{.cost = 100 * real(),
                           .share = below(2) == 0 ? real() : 0,
                           .noise = {},
                           .kind = kind - (below(4) == 0 ? 1 : 0),
                           .form = below(3)};
      // Types differ by orders of magnitude.
      for (int i = 0; i < outputs; ++i) {
        // Around a configuration a change may take noise away.
        const double sign = below(6) == 0 ? -1 : 1;
        choice.noise.push_back(sign * real() * std::pow(10, -below(7)));
      }
      choices.push_back(choice);
    }
  }
  const auto unit = [&] {
    return static_cast<std::size_t>(below(static_cast<int>(program.units.size())));
  };
  for (int i = below(3); i > 0; --i) program.borders.push_back({unit(), unit(), 20 * real()});
  if (below(2) == 0) program.together.push_back({0, 1});
  if (below(3) == 0) program.alike.push_back({1, program.units.size() - 1});
  if (below(3) == 0) program.excluded.push_back({{0, 0}, {1, 1}});
  if (below(2) == 0) program.mostShare = real();
  return program;
}

// What the solver's rows leave open, in parts of the noise: where gains make up for losses, of what
// they make up for.
double tolerance(const IntegerProgram& program, double expected) {
  double cancelled = 0;
  for (const auto& unit : program.units) {
    for (const ProgramChoice& choice : unit) {
      for (const double noise : choice.noise) cancelled = std::max(cancelled, -noise);
    }
  }
  return 1e-5 * expected + 1e-6 * cancelled;
}

std::optional<double> bruteForce(const IntegerProgram& program, double budget) {
  std::optional<double> least;
  ProgramSolution solution(program.units.size());
  for (;;) {
    if (isPossible(program, solution) && costOf(program, solution) <= budget) {
      const double noise = noiseOf(program, solution);
      if (!least || noise < *least) least = noise;
    }
    std::size_t unit = 0;
    while (unit < solution.size() && ++solution[unit] == program.units[unit].size()) {
      solution[unit++] = 0;
    }
    if (unit == solution.size()) return least;
  }
}

}  // namespace

class TestIntegerProgram : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsBruteForce() {
    std::mt19937 random(7);
    int instances = 0;
    int shares = 0;  // that decide
    for (int i = 0; i < 500; ++i) {
      const IntegerProgram program = randomProgram(random);
      const double budget = 300 * std::uniform_real_distribution<double>(0, 1)(random);
      const std::optional<double> expected = bruteForce(program, budget);
      const auto solved = leastNoise(program, budget, {.relativeGap = 0});
      QCOMPARE(solved.has_value(), expected.has_value());
      if (!solved) continue;
      const ProgramSolution* const found = &solved->solution;
      ++instances;
      IntegerProgram unbound = program;
      unbound.mostShare = std::numeric_limits<double>::infinity();
      if (bruteForce(unbound, budget) != expected) ++shares;
      QVERIFY(isPossible(program, *found));
      QVERIFY(costOf(program, *found) <= budget * (1 + 1e-9));
      QVERIFY2(noiseOf(program, *found) <= *expected + tolerance(program, *expected),
               qPrintable(QString("instance %1: %2 instead of %3")
                              .arg(i)
                              .arg(noiseOf(program, *found))
                              .arg(*expected)));
      // The bound is one: the least noise is not below it.
      const double bound = noiseOf(program, *found) * (1 - solved->gap);
      QVERIFY(bound <= *expected + tolerance(program, *expected));
    }
    QVERIFY(instances > 200);
    QVERIFY(shares > 20);
  }

  void greedyIsPossible() {
    std::mt19937 random(11);
    for (int i = 0; i < 500; ++i) {
      const IntegerProgram program = randomProgram(random);
      const std::optional<ProgramSolution> found = greedyChoice(program, 200);
      if (!found) continue;
      QVERIFY(isPossible(program, *found));
      QVERIFY(costOf(program, *found) <= 200);
    }
  }

  void tiedUnitsChangeTogether() {
    IntegerProgram program;
    program.units.resize(6);
    program.together = {{4, 1}, {5}};
    program.alike = {{1, 3}};
    const std::vector<std::vector<std::size_t>> expected{{0}, {1, 3, 4}, {2}, {5}};
    QVERIFY(tiedUnits(program) == expected);
    QVERIFY(tiedUnits({}).empty());
  }

  // As many layers and types as the largest networks have, with grids and conversions.
  void largeProgramsAreSolvedWithinTheGap() {
    std::mt19937 random(5);
    const auto real = [&] { return std::uniform_real_distribution<double>(0.1, 1)(random); };
    IntegerProgram program;
    for (std::size_t unit = 0; unit < 500; ++unit) {
      auto& choices = program.units.emplace_back();
      const double size = std::pow(10, 3 * real());
      const double loss = std::pow(10, -3 * real());
      for (int kind = 0; kind < 6; ++kind) {
        choices.push_back({.cost = size * (kind + 1),
                           .noise = {loss * std::pow(4, -kind) * real()},
                           .kind = kind});
      }
      if (unit % 5 == 4) program.together.push_back({unit - 1, unit});
      if (unit > 0) program.borders.push_back({unit - 1, unit, size / 100});
    }
    const double budget = 3 * leastCost(program);
    QElapsedTimer timer;
    timer.start();
    const std::optional<SolvedProgram> solved = leastNoise(program, budget);
    const ProgramSolution* const found = &solved->solution;
    qInfo() << timer.elapsed() << "ms, gap" << solved->gap << noiseOf(program, *found)
            << "instead of" << noiseOf(program, *greedyChoice(program, budget))
            << "by greedy choice";
    QVERIFY(isPossible(program, *found));
    QVERIFY(costOf(program, *found) <= budget * (1 + 1e-9));
    QVERIFY(noiseOf(program, *found) <= noiseOf(program, *greedyChoice(program, budget)));
    QVERIFY(solved->gap <= 0.005);
  }

  // As real networks have them: losses of very different sizes, and a budget that allows little.
  void withoutAnyNoiseTheLeastEffortIsFound() {
    IntegerProgram program;
    for (int unit = 0; unit < 3; ++unit) {
      program.units.push_back({{.cost = 4, .noise = {0}, .effort = 4},
                               {.cost = 2, .noise = {0}, .effort = 2},
                               {.cost = 1, .noise = {0.1}, .effort = 1}});
    }
    const ProgramSolution found = leastEffort(program, 12, 0, {0, 0, 0});
    QCOMPARE(found, (ProgramSolution{1, 1, 1}));
  }

  void numbersOfManySizesLeaveNoGap() {
    std::mt19937 random(13);
    const auto real = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
    int left = 0;
    for (int instance = 0; instance < 100; ++instance) {
      IntegerProgram program;
      const std::size_t units = 10 + random() % 20;
      for (std::size_t unit = 0; unit < units; ++unit) {
        const double size = std::floor(std::pow(10, 2 + 4 * real()));
        const double loss = std::pow(10, -9 * real());
        auto& choices = program.units.emplace_back();
        for (const int bits : {8, 4, 16, 32}) {
          ProgramChoice choice{.cost = bits * size, .noise = {}, .kind = bits};
          for (int output = 0; output < 3; ++output) {
            // Around a configuration a change may take noise away.
            const double sign = random() % 6 == 0 ? -1 : 1;
            choice.noise.push_back(bits == 32 ? 0 : sign * loss * real() * std::pow(4, 8 - bits));
          }
          choices.push_back(choice);
        }
        if (unit > 0 && random() % 3 == 0) program.together.push_back({unit - 1, unit});
      }
      const double budget = leastCost(program) * (1 + 2 * real());
      const std::optional<SolvedProgram> solved = leastNoise(program, budget);
      QVERIFY(solved);
      if (solved->gap > 0.0051) ++left;
    }
    QCOMPARE(left, 0);
  }

  void isCancelled() {
    IntegerProgram program;
    std::mt19937 random(3);
    for (int unit = 0; unit < 400; ++unit) {
      auto& choices = program.units.emplace_back();
      for (int kind = 0; kind < 6; ++kind) {
        choices.push_back({.cost = static_cast<double>(random() % 1000),
                           .noise = {static_cast<double>(random() % 1000)},
                           .kind = kind});
      }
    }
    // What is known by then is returned.
    QVERIFY(leastNoise(program, 200000, {.cancelled = [] { return true; }}));
  }
};

QUANTSCOPE_TEST(TestIntegerProgram)

#include "test_integer_program.moc"

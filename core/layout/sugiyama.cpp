#include "layout/sugiyama.h"

#include <igraph/igraph.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace quantscope {
namespace {

// igraph compares all pairs of edges between two layers; this many comparisons take a second.
constexpr double kMaxEdgePairs = 3e9;
// Sweeps of crossing reduction; more hardly change the drawings of neural networks.
constexpr double kMaxSweeps = 40;
// Limit of the edges between neighbouring layers that a large drawing visits in all, so that 50,000
// boxes take a second or two.
constexpr double kMaxVisits = 0.5e6;

struct IgraphFailure {};

void check(igraph_error_t code) {
  if (code != IGRAPH_SUCCESS) throw IgraphFailure();
}

// igraph keeps its handlers and its stack of unfinished objects in global variables, and Debian
// builds it without thread-local storage: one call at a time. Its default error handler aborts.
class IgraphSession {
 public:
  IgraphSession()
      : m_lock(mutex()),
        m_errorHandler(igraph_set_error_handler(igraph_error_handler_ignore)),
        m_warningHandler(igraph_set_warning_handler(igraph_warning_handler_ignore)) {}
  ~IgraphSession() {
    igraph_set_warning_handler(m_warningHandler);
    igraph_set_error_handler(m_errorHandler);
  }
  IgraphSession(const IgraphSession&) = delete;
  IgraphSession& operator=(const IgraphSession&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> m_lock;
  igraph_error_handler_t* m_errorHandler;
  igraph_warning_handler_t* m_warningHandler;
};

class IntegerVector {
 public:
  explicit IntegerVector(std::size_t size) {
    check(igraph_vector_int_init(&m_vector, static_cast<igraph_integer_t>(size)));
  }
  ~IntegerVector() { igraph_vector_int_destroy(&m_vector); }
  IntegerVector(const IntegerVector&) = delete;
  IntegerVector& operator=(const IntegerVector&) = delete;

  igraph_vector_int_t* get() { return &m_vector; }
  void set(std::size_t i, std::size_t value) {
    VECTOR(m_vector)[i] = static_cast<igraph_integer_t>(value);
  }
  std::size_t operator[](std::size_t i) const {
    return static_cast<std::size_t>(VECTOR(m_vector)[i]);
  }

 private:
  igraph_vector_int_t m_vector;
};

class Matrix {
 public:
  Matrix() { check(igraph_matrix_init(&m_matrix, 0, 0)); }
  ~Matrix() { igraph_matrix_destroy(&m_matrix); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  igraph_matrix_t* get() { return &m_matrix; }
  double operator()(std::size_t row, int column) const {
    return MATRIX(m_matrix, static_cast<igraph_integer_t>(row), column);
  }

 private:
  igraph_matrix_t m_matrix;
};

class DirectedGraph {
 public:
  DirectedGraph() = default;
  ~DirectedGraph() {
    if (m_initialized) igraph_destroy(&m_graph);
  }
  DirectedGraph(const DirectedGraph&) = delete;
  DirectedGraph& operator=(const DirectedGraph&) = delete;

  // igraph's functions initialize the graph that they are given, unless they fail.
  template <class Function>
  void initialize(Function&& function) {
    check(function(&m_graph));
    m_initialized = true;
  }
  const igraph_t* get() const { return &m_graph; }

 private:
  igraph_t m_graph{};
  bool m_initialized = false;
};

// The more edges between neighbouring layers, the fewer sweeps.
igraph_integer_t sweepsFor(std::span<const std::size_t> layers, std::span<const LayoutEdge> edges) {
  double visits = 1;
  for (const LayoutEdge& edge : edges) {
    visits += static_cast<double>(layers[edge.to] - layers[edge.from]);
  }
  return static_cast<igraph_integer_t>(std::clamp(kMaxVisits / visits, 2.0, kMaxSweeps));
}

double edgePairs(std::span<const std::size_t> layers, std::span<const LayoutEdge> edges) {
  std::vector<double> below(layers.empty() ? 0 : *std::ranges::max_element(layers) + 1, 0.0);
  for (const LayoutEdge& edge : edges) {
    for (std::size_t layer = layers[edge.from]; layer < layers[edge.to]; ++layer) ++below[layer];
  }
  double pairs = 0;
  for (const double count : below) pairs += count * count;
  return pairs;
}

void createGraph(DirectedGraph& graph, std::size_t boxes, std::span<const LayoutEdge> edges) {
  IntegerVector ends(2 * edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ends.set(2 * i, edges[i].from);
    ends.set(2 * i + 1, edges[i].to);
  }
  graph.initialize([&](igraph_t* target) {
    return igraph_create(target, ends.get(), static_cast<igraph_integer_t>(boxes), IGRAPH_DIRECTED);
  });
}

// Each original edge that passes layers is a chain over vertices numbered behind the boxes.
std::vector<std::vector<Bend>> bendsOf(const DirectedGraph& extended, const Matrix& coordinates,
                                       const IntegerVector& originalEdge, std::size_t boxes,
                                       std::size_t edges) {
  std::vector<std::vector<Bend>> bends(edges);
  const igraph_integer_t segments = igraph_ecount(extended.get());
  for (igraph_integer_t i = 0; i < segments; ++i) {
    const auto end = static_cast<std::size_t>(IGRAPH_TO(extended.get(), i));
    if (end < boxes) continue;
    bends[originalEdge[static_cast<std::size_t>(i)]].push_back(
        {.layer = static_cast<std::size_t>(std::lround(coordinates(end, 1))),
         .x = coordinates(end, 0)});
  }
  for (std::vector<Bend>& chain : bends) std::ranges::sort(chain, {}, &Bend::layer);
  return bends;
}

LayeredDrawing draw(std::span<const std::size_t> layers, std::span<const LayoutEdge> edges) {
  const std::size_t boxes = layers.size();
  IntegerVector layerOfBox(boxes);
  for (std::size_t i = 0; i < boxes; ++i) layerOfBox.set(i, layers[i]);
  DirectedGraph graph;
  createGraph(graph, boxes, edges);

  Matrix coordinates;
  IntegerVector originalEdge(0);
  DirectedGraph extended;
  extended.initialize([&](igraph_t* target) {
    return igraph_layout_sugiyama(graph.get(), coordinates.get(), target, originalEdge.get(),
                                  layerOfBox.get(), 1, 1, sweepsFor(layers, edges), nullptr);
  });

  LayeredDrawing drawing;
  for (std::size_t i = 0; i < boxes; ++i) drawing.x.push_back(coordinates(i, 0));
  drawing.bends = bendsOf(extended, coordinates, originalEdge, boxes, edges.size());
  return drawing;
}

}  // namespace

std::optional<LayeredDrawing> sugiyamaDrawing(std::span<const std::size_t> layers,
                                              std::span<const LayoutEdge> edges) {
  if (layers.empty() || edgePairs(layers, edges) > kMaxEdgePairs) return std::nullopt;
  const IgraphSession session;
  try {
    return draw(layers, edges);
  } catch (const IgraphFailure&) {
    return std::nullopt;
  }
}

}  // namespace quantscope

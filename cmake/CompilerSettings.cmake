# Settings that every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # The compiler lists the headers anyway: what is not in the cache need not be preprocessed twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 ${CCACHE_PROGRAM})
endif()

# Contracting a*b+c would make the SIMD targets differ from each other and from their scalar twins.
add_compile_options(-ffp-contract=off)
# Nobody reads the floating-point exception flags or errno of sqrt; keeping them would forbid
# vector code for loops with comparisons and roots. The values stay the same.
add_compile_options(-fno-trapping-math -fno-math-errno)
add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlapping copies in "text" + std::string, where there are none (GCC bug 105651).
  add_compile_options(-Wno-restrict)
  # A tenth of the time went into looking for memory to use again; a unit takes 1.2 GB at most.
  add_compile_options("SHELL:--param ggc-min-heapsize=1500000")
endif()
if(QUANTSCOPE_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

# Kernels are compiled once for each SIMD target. Processors with SSSE3 but without SSE4, AES and
# PCLMUL are ten years old and more: there the kernels are scalar.
add_compile_definitions(HWY_DISABLED_TARGETS=HWY_SSSE3)

# quantscope_compile_quickly(TARGET): in three quarters of the time, with little optimization, for
# code in which no time is spent. No result depends on it.
function(quantscope_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

if(QUANTSCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # A sanitizer wants to see every allocation; TBB's allocator and our heaps hide them.
  add_compile_definitions(QUANTSCOPE_PLAIN_ALLOCATOR)
elseif(QUANTSCOPE_SANITIZE STREQUAL "fuzzer")
  # libFuzzer's main comes with the targets in tests/fuzz; here only what it watches is compiled in.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(QUANTSCOPE_PLAIN_ALLOCATOR)
elseif(QUANTSCOPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  # Debian's TBB is not instrumented: its own synchronization would be reported by the dozen.
  add_compile_definitions(QUANTSCOPE_PLAIN_ALLOCATOR QUANTSCOPE_STD_THREADS)
endif()

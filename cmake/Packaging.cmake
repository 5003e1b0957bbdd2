# `cpack -G DEB` in build/release, once the programs are built: a package for the Debian that it is made on,
# with the dependencies that the programs are linked with.

include(GNUInstallDirs)
# The programs are in the package, the tests are not: nothing else has to be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/resources/quantscope-cli.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/resources/quantscope-cli.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME quantscope-cli)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/quantscope RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quantscope)
set(CPACK_PACKAGE_VENDOR Quantscope)
set(CPACK_PACKAGE_CONTACT "Quantscope maintainers <maintainers@quantscope.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "See where quantization hurts a neural network, and why")
set(CPACK_PACKAGE_DESCRIPTION
"Opens an ONNX model and samples, shows where quantization hurts, says why,
lets types, ranges and groups be changed with the effect on screen at once,
and exports models and configurations that run elsewhere as they were shown.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)

# What an embedding program sees: `find_package(weir)` or `add_subdirectory`, then weir::weir. The
# folders that the public headers stand on are one archive.

set(weir_parts base limit store)
set(weir_objects)
foreach(part IN LISTS weir_parts)
  list(APPEND weir_objects $<TARGET_OBJECTS:weir_${part}>)
endforeach()

add_library(weir_lib STATIC ${weir_objects})
add_library(weir::weir ALIAS weir_lib)
set_target_properties(weir_lib PROPERTIES OUTPUT_NAME weir EXPORT_NAME weir LINKER_LANGUAGE CXX)
target_compile_features(weir_lib INTERFACE cxx_std_20)
target_link_libraries(weir_lib INTERFACE Threads::Threads)
target_include_directories(weir_lib INTERFACE
  $<BUILD_INTERFACE:${weir_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

install(TARGETS weir_lib EXPORT weir_targets ARCHIVE COMPONENT library)
install(DIRECTORY ${weir_SOURCE_DIR}/include/weir TYPE INCLUDE COMPONENT library)
install(EXPORT weir_targets NAMESPACE weir:: DESTINATION ${package_dir} COMPONENT library)
file(WRITE ${PROJECT_BINARY_DIR}/weirConfig.cmake
  "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/weir_targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT library)
if(TARGET weir)
  install(TARGETS weir RUNTIME COMPONENT server)
endif()

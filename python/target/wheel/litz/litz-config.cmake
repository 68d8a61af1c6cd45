# find_package(Litz) of Litz 0.1.0: gives the targets Litz::litz (shared) and Litz::static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/litzTargets.cmake")

foreach(_litz_target Litz::litz Litz::static)
  get_target_property(_litz_file ${_litz_target} IMPORTED_LOCATION)
  if(NOT EXISTS "${_litz_file}")
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "${_litz_file} is missing: Litz is not built, or installed in part")
  endif()
endforeach()
unset(_litz_file)
unset(_litz_target)

# Litz has no components; one that is asked for and required is missing.
foreach(_litz_component ${${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS})
  if(${CMAKE_FIND_PACKAGE_NAME}_FIND_REQUIRED_${_litz_component})
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "Litz has no component ${_litz_component}")
  endif()
endforeach()
unset(_litz_component)

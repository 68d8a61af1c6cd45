# The imported targets of Litz 0.1.0.
get_filename_component(_litz_libraries "/work/wt/python/python/target/wheel/litz/lib" ABSOLUTE)
get_filename_component(_litz_headers "/work/wt/python/include" ABSOLUTE)

if(NOT TARGET Litz::litz)
  add_library(Litz::litz SHARED IMPORTED )
  set_target_properties(Litz::litz PROPERTIES
    IMPORTED_LOCATION "${_litz_libraries}/liblitz.so.0"
    IMPORTED_SONAME "liblitz.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_litz_headers}")
endif()

if(NOT TARGET Litz::static)
  add_library(Litz::static STATIC IMPORTED )
  set_target_properties(Litz::static PROPERTIES
    IMPORTED_LOCATION "${_litz_libraries}/liblitz.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES "C"
    INTERFACE_INCLUDE_DIRECTORIES "${_litz_headers}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m;dl;gcc_s;util;rt")
endif()
unset(_litz_libraries)
unset(_litz_headers)

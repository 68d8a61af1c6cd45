# LITZ_VERSION is the crate's, LITZ_ABI_MAJOR the one in the SONAME: each is said in one place only.
get_filename_component(LITZ_SOURCE_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${LITZ_SOURCE_DIR}/Cargo.toml" "${LITZ_SOURCE_DIR}/liblitz/build.rs")

file(STRINGS "${LITZ_SOURCE_DIR}/Cargo.toml" _litz_line REGEX "^version = ")
list(GET _litz_line 0 _litz_line)
string(REGEX REPLACE "^version = \"([0-9]+\\.[0-9]+\\.[0-9]+).*" "\\1" LITZ_VERSION "${_litz_line}")

file(STRINGS "${LITZ_SOURCE_DIR}/liblitz/build.rs" _litz_line REGEX "soname,liblitz\\.so\\.[0-9]+")
string(REGEX REPLACE ".*soname,liblitz\\.so\\.([0-9]+).*" "\\1" LITZ_ABI_MAJOR "${_litz_line}")
unset(_litz_line)

# What both CMakeLists.txt files share: the build by cargo, the targets Litz::litz (shared) and Litz::static, and what is
# installed. Options:
#
#   LITZ_LIBRARY_DIR     a folder with liblitz.so and liblitz.a that are built already; empty: cargo builds them
#   LITZ_CARGO_PROFILE   cargo's profile, release unless said otherwise
#   LITZ_CARGO_FLAGS     more arguments for cargo build, as a list
#   LITZ_CARGO_TARGET_DIR  cargo's target folder; empty: CARGO_TARGET_DIR where it is set, otherwise in the build tree
#   LITZ_COMMAND         whether the command `litz` is built and installed; OFF where this is part of another project. With
#                        LITZ_LIBRARY_DIR it is taken from there, where that folder has it
#   LITZ_INSTALL         whether `cmake --install` installs Litz; OFF where it is part of another project
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_directory_property(_litz_parent PARENT_DIRECTORY)
if(_litz_parent)
  set(_litz_alone OFF)
else()
  set(_litz_alone ON)
endif()

set(LITZ_LIBRARY_DIR "" CACHE PATH "A folder with liblitz.so and liblitz.a; empty: cargo builds them")
set(LITZ_CARGO_PROFILE "release" CACHE STRING "Cargo's profile")
set(LITZ_CARGO_FLAGS "" CACHE STRING "More arguments for cargo build")
set(LITZ_CARGO_TARGET_DIR "" CACHE PATH "Cargo's target folder; empty: CARGO_TARGET_DIR, or in the build tree")
option(LITZ_COMMAND "Build and install the command litz" ${_litz_alone})
option(LITZ_INSTALL "Install Litz" ${_litz_alone})

# Where programs find the library without an installation: under the name that the loader looks for.
set(_litz_lib "${CMAKE_CURRENT_BINARY_DIR}/lib")
set(_litz_full "liblitz.so.${LITZ_VERSION}")
set(_litz_soname "liblitz.so.${LITZ_ABI_MAJOR}")
file(MAKE_DIRECTORY "${_litz_lib}")

if(LITZ_LIBRARY_DIR)
  foreach(_litz_file liblitz.so liblitz.a)
    if(NOT EXISTS "${LITZ_LIBRARY_DIR}/${_litz_file}")
      message(FATAL_ERROR "Litz: LITZ_LIBRARY_DIR has no ${_litz_file}: ${LITZ_LIBRARY_DIR}")
    endif()
  endforeach()
  get_filename_component(_litz_shared "${LITZ_LIBRARY_DIR}/liblitz.so" REALPATH)
  get_filename_component(_litz_archive "${LITZ_LIBRARY_DIR}/liblitz.a" REALPATH)
  # Factorisations of matrices; a folder without them serves programs that need none.
  set(_litz_linalg "")
  if(EXISTS "${LITZ_LIBRARY_DIR}/liblitz_linalg.so")
    get_filename_component(_litz_linalg "${LITZ_LIBRARY_DIR}/liblitz_linalg.so" REALPATH)
  endif()
else()
  find_program(CARGO cargo HINTS "$ENV{CARGO_HOME}/bin" "$ENV{HOME}/.cargo/bin")
  if(NOT CARGO)
    message(FATAL_ERROR "Litz is built by cargo, which is not found: install Rust (https://rustup.rs), name cargo with "
      "-DCARGO=…, or give built libraries with -DLITZ_LIBRARY_DIR=…")
  endif()
  if(LITZ_CARGO_TARGET_DIR)
    set(_litz_target "${LITZ_CARGO_TARGET_DIR}")
  elseif(DEFINED ENV{CARGO_TARGET_DIR})
    set(_litz_target "$ENV{CARGO_TARGET_DIR}")
  else()
    set(_litz_target "${CMAKE_CURRENT_BINARY_DIR}/cargo")
  endif()
  # Cargo's one exception: the profile `dev` is written to the folder `debug`.
  if(LITZ_CARGO_PROFILE STREQUAL "dev")
    set(_litz_built "${_litz_target}/debug")
  else()
    set(_litz_built "${_litz_target}/${LITZ_CARGO_PROFILE}")
  endif()
  set(_litz_shared "${_litz_built}/liblitz.so")
  set(_litz_archive "${_litz_built}/liblitz.a")
  set(_litz_linalg "${_litz_built}/liblitz_linalg.so")
endif()

set(_litz_command "")
if(LITZ_COMMAND)
  if(NOT LITZ_LIBRARY_DIR)
    set(_litz_command "${_litz_built}/litz")
  elseif(EXISTS "${LITZ_LIBRARY_DIR}/litz" AND NOT IS_DIRECTORY "${LITZ_LIBRARY_DIR}/litz")
    get_filename_component(_litz_command "${LITZ_LIBRARY_DIR}/litz" REALPATH)
  endif()
endif()

# Links, so that nothing is copied: liblitz.so -> liblitz.so.0 -> liblitz.so.0.1.0 -> what cargo wrote.
set(_litz_links
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${_litz_shared}" "${_litz_lib}/${_litz_full}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${_litz_full}" "${_litz_lib}/${_litz_soname}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${_litz_soname}" "${_litz_lib}/liblitz.so"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "${_litz_archive}" "${_litz_lib}/liblitz.a")
# The second library lies beside the first, by the name that programs open it by.
if(_litz_linalg)
  list(APPEND _litz_links
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "${_litz_linalg}" "${_litz_lib}/liblitz_linalg.so.0")
endif()
if(LITZ_LIBRARY_DIR)
  execute_process(${_litz_links})
else()
  set(_litz_binary "")
  if(_litz_command)
    set(_litz_binary --bin litz)
  endif()
  # Cargo knows best whether anything is to be done, so it is asked in every build.
  add_custom_target(litz_library ALL
    COMMAND "${CARGO}" build --locked --lib ${_litz_binary} --profile "${LITZ_CARGO_PROFILE}"
      --target-dir "${_litz_target}" ${LITZ_CARGO_FLAGS}
    ${_litz_links}
    BYPRODUCTS "${_litz_lib}/${_litz_soname}" "${_litz_lib}/liblitz.a"
    WORKING_DIRECTORY "${LITZ_SOURCE_DIR}"
    COMMENT "Building Litz with cargo"
    VERBATIM
    USES_TERMINAL)
endif()

# The targets of the build tree, for this project and those that it is part of.
set(LITZ_LIBRARIES_AT "${_litz_lib}")
set(LITZ_HEADERS_AT "${LITZ_SOURCE_DIR}/include")
set(LITZ_TARGET_SCOPE GLOBAL)
configure_file("${LITZ_SOURCE_DIR}/cmake/litzTargets.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/litzTargets.own.cmake" @ONLY)
find_package(Threads REQUIRED)
include("${CMAKE_CURRENT_BINARY_DIR}/litzTargets.own.cmake")
if(TARGET litz_library)
  add_dependencies(Litz::litz litz_library)
  add_dependencies(Litz::static litz_library)
endif()

# The package of the build tree: find_package(Litz) with Litz_DIR naming this folder. Files of this spelling are found
# by find_package(litz) as well.
set(LITZ_TARGET_SCOPE "")
configure_file("${LITZ_SOURCE_DIR}/cmake/litzTargets.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/litzTargets.cmake" @ONLY)
configure_file("${LITZ_SOURCE_DIR}/cmake/litz-config.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/litz-config.cmake" @ONLY)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/litz-config-version.cmake"
  VERSION ${LITZ_VERSION} COMPATIBILITY SameMinorVersion)

if(LITZ_INSTALL)
  # The files behind the links, under the names that a package has.
  install(FILES "${_litz_shared}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME "${_litz_full}"
    COMPONENT Litz_Runtime
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  if(_litz_linalg)
    install(FILES "${_litz_linalg}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME "liblitz_linalg.so.0"
      COMPONENT Litz_Runtime
      PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
  install(FILES "${_litz_lib}/${_litz_soname}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Litz_Runtime)
  install(FILES "${_litz_lib}/liblitz.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Litz_Development)
  install(FILES "${_litz_archive}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME liblitz.a COMPONENT Litz_Development)
  install(DIRECTORY "${LITZ_SOURCE_DIR}/include/litz" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    COMPONENT Litz_Development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  install(FILES "${LITZ_SOURCE_DIR}/LICENSE-APACHE" "${LITZ_SOURCE_DIR}/LICENSE-MIT" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/litz"
    COMPONENT Litz_Runtime)

  if(_litz_command)
    install(PROGRAMS "${_litz_command}" DESTINATION "${CMAKE_INSTALL_BINDIR}" RENAME litz COMPONENT Litz_Runtime)
    # The command makes its own pages and completions.
    string(CONCAT _litz_pages
      "set(at \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")\n"
      "set(litz \"\${at}/${CMAKE_INSTALL_BINDIR}/litz\")\n"
      "execute_process(COMMAND \"\${litz}\" man -o \"\${at}/${CMAKE_INSTALL_MANDIR}/man1\" RESULT_VARIABLE failed)\n"
      "foreach(pair \"bash=bash-completion/completions/litz\" \"zsh=zsh/site-functions/_litz\" \"fish=fish/vendor_completions.d/litz.fish\")\n"
      "  string(REGEX REPLACE \"=.*\" \"\" shell \"\${pair}\")\n"
      "  string(REGEX REPLACE \".*=\" \"\" file \"\${pair}\")\n"
      "  execute_process(COMMAND \"\${litz}\" completions \"\${shell}\" OUTPUT_VARIABLE text RESULT_VARIABLE this)\n"
      "  file(WRITE \"\${at}/${CMAKE_INSTALL_DATAROOTDIR}/\${file}\" \"\${text}\")\n"
      "  if(NOT this EQUAL 0)\n    set(failed \"\${this}\")\n  endif()\n"
      "endforeach()\n"
      "if(NOT failed EQUAL 0)\n  message(FATAL_ERROR \"Litz: the command does not write its pages: \${failed}\")\nendif()\n")
    install(CODE "${_litz_pages}" COMPONENT Litz_Runtime)
  endif()

  # A package finds its prefix from where it lies, so that the tree can be moved.
  foreach(_litz_file LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${_litz_file}}")
      message(FATAL_ERROR "Litz: CMAKE_INSTALL_${_litz_file} must be relative to the prefix")
    endif()
  endforeach()
  set(_litz_package "${CMAKE_INSTALL_LIBDIR}/cmake/litz")
  file(RELATIVE_PATH LITZ_UP_FROM_PACKAGE "/${_litz_package}" "/")
  file(RELATIVE_PATH LITZ_UP_FROM_PKGCONFIG "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" LITZ_UP_FROM_PKGCONFIG "${LITZ_UP_FROM_PKGCONFIG}")
  set(LITZ_LIBRARIES_AT "\${CMAKE_CURRENT_LIST_DIR}/${LITZ_UP_FROM_PACKAGE}${CMAKE_INSTALL_LIBDIR}")
  set(LITZ_HEADERS_AT "\${CMAKE_CURRENT_LIST_DIR}/${LITZ_UP_FROM_PACKAGE}${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file("${LITZ_SOURCE_DIR}/cmake/litzTargets.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/install/litzTargets.cmake" @ONLY)
  configure_file("${LITZ_SOURCE_DIR}/cmake/litz.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/install/litz.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/install/litzTargets.cmake" "${CMAKE_CURRENT_BINARY_DIR}/litz-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/litz-config-version.cmake"
    DESTINATION "${_litz_package}" COMPONENT Litz_Development)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/install/litz.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT Litz_Development)
endif()

foreach(_litz_name alone archive build_command built command file full lib linalg line links package pages parent shared soname target)
  unset(_litz_${_litz_name})
endforeach()

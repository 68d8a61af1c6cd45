!> Litz from Fortran, by iso_c_binding: load a model, compile it, run it into arrays.
!>
!> Arrays keep the order of their indices: an array x(rows, columns) is the tensor with these sizes, and its strides say that the
!> first index is the innermost in memory. Nothing is copied or transposed. An array that is not contiguous is refused.
!>
!> A procedure that can fail takes `failure` last. Without it, a failure ends the program with its message.
!> Programs may be run by any number of threads; each is released with its variable.
module litz
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: litz_failure, litz_program, litz_tensor, litz_load_pt2, litz_open, litz_tensor_of, litz_version

  !> Why a call failed: a LITZ_ERROR_… of litz.h, 0 where it did not, and the message.
  type :: litz_failure
    integer(c_int32_t) :: status = 0
    character(:), allocatable :: message
  end type

  integer, parameter :: most_dimensions = 15

  type, bind(c) :: dl_device
    integer(c_int32_t) :: device_type = 1, device_id = 0
  end type

  type, bind(c) :: dl_data_type
    integer(c_int8_t) :: code = 0, bits = 0
    integer(c_int16_t) :: lanes = 1
  end type

  type, bind(c) :: dl_tensor
    type(c_ptr) :: data = c_null_ptr
    type(dl_device) :: device
    integer(c_int32_t) :: ndim = 0
    type(dl_data_type) :: dtype
    type(c_ptr) :: shape = c_null_ptr, strides = c_null_ptr
    integer(c_int64_t) :: byte_offset = 0
  end type

  type, bind(c) :: tensor_info
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: name = c_null_ptr
    type(dl_data_type) :: dtype
    type(dl_device) :: device
    integer(c_int32_t) :: ndim = 0, kind = 0
    type(c_ptr) :: min_shape = c_null_ptr, max_shape = c_null_ptr, strides = c_null_ptr
    integer(c_int32_t) :: mutated = 0, alias_kind = 0
    integer(c_int64_t) :: alias_of = 0
  end type

  !> An array as a tensor. The array must be a target, and outlive the tensor.
  type :: litz_tensor
    private
    type(dl_tensor) :: raw
    integer(c_int64_t) :: shape(most_dimensions) = 0, strides(most_dimensions) = 0
    logical :: contiguous = .true.
  end type

  !> A compiled program.
  type :: litz_program
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: num_inputs
    procedure :: num_outputs
    procedure :: input_name
    procedure :: input_sizes
    procedure :: output_sizes
    procedure :: infer_sizes
    procedure :: run
    procedure :: save => save_artifact
    procedure :: describe
    procedure :: release
    final :: finish
  end type

  interface litz_tensor_of
    module procedure tensor_of_r4, tensor_of_r8, tensor_of_i4, tensor_of_i8
  end interface

  interface
    function c_strlen(text) bind(c, name="strlen") result(n)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: n
    end function
    function litz_check_abi(header_version, err) bind(c, name="litz_check_abi") result(status)
      import
      integer(c_int32_t), value :: header_version
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    function litz_version_c() bind(c, name="litz_version") result(text)
      import
      type(c_ptr) :: text
    end function
    function litz_error_message(e) bind(c, name="litz_error_message") result(text)
      import
      type(c_ptr), value :: e
      type(c_ptr) :: text
    end function
    subroutine litz_error_release(e) bind(c, name="litz_error_release")
      import
      type(c_ptr), value :: e
    end subroutine
    function litz_string_data(s) bind(c, name="litz_string_data") result(text)
      import
      type(c_ptr), value :: s
      type(c_ptr) :: text
    end function
    subroutine litz_string_release(s) bind(c, name="litz_string_release")
      import
      type(c_ptr), value :: s
    end subroutine
    function litz_options_new(out, err) bind(c, name="litz_options_new") result(status)
      import
      type(c_ptr), intent(inout) :: out, err
      integer(c_int32_t) :: status
    end function
    function litz_options_patch(o, json, err) bind(c, name="litz_options_patch") result(status)
      import
      type(c_ptr), value :: o
      character(kind=c_char), intent(in) :: json(*)
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    subroutine litz_options_release(o) bind(c, name="litz_options_release")
      import
      type(c_ptr), value :: o
    end subroutine
    function litz_graph_from_pt2(path, o, out, err) bind(c, name="litz_graph_from_pt2") result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: o
      type(c_ptr), intent(inout) :: out, err
      integer(c_int32_t) :: status
    end function
    subroutine litz_graph_release(g) bind(c, name="litz_graph_release")
      import
      type(c_ptr), value :: g
    end subroutine
    function litz_compile(g, o, out, err) bind(c, name="litz_compile") result(status)
      import
      type(c_ptr), value :: g, o
      type(c_ptr), intent(inout) :: out, err
      integer(c_int32_t) :: status
    end function
    function litz_executable_open(path, o, out, err) bind(c, name="litz_executable_open") result(status)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: o
      type(c_ptr), intent(inout) :: out, err
      integer(c_int32_t) :: status
    end function
    function litz_executable_save(e, path, err) bind(c, name="litz_executable_save") result(status)
      import
      type(c_ptr), value :: e
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    function litz_executable_describe(e, json, err) bind(c, name="litz_executable_describe") result(status)
      import
      type(c_ptr), value :: e
      type(c_ptr), intent(inout) :: json, err
      integer(c_int32_t) :: status
    end function
    function litz_executable_num_inputs(e) bind(c, name="litz_executable_num_inputs") result(n)
      import
      type(c_ptr), value :: e
      integer(c_size_t) :: n
    end function
    function litz_executable_num_outputs(e) bind(c, name="litz_executable_num_outputs") result(n)
      import
      type(c_ptr), value :: e
      integer(c_size_t) :: n
    end function
    function litz_executable_info(e, what, k, out, err) bind(c, name="litz_executable_info") result(status)
      import
      type(c_ptr), value :: e
      integer(c_int32_t), value :: what
      integer(c_size_t), value :: k
      type(tensor_info), intent(inout) :: out
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    function litz_executable_infer_outputs(e, inputs, n_inputs, outputs, n_outputs, err) &
        bind(c, name="litz_executable_infer_outputs") result(status)
      import
      type(c_ptr), value :: e
      type(c_ptr), intent(in) :: inputs(*)
      integer(c_size_t), value :: n_inputs
      type(dl_tensor), intent(inout) :: outputs(*)
      integer(c_size_t), value :: n_outputs
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    function litz_executable_run_into(e, inputs, n_inputs, outputs, n_outputs, ro, err) &
        bind(c, name="litz_executable_run_into") result(status)
      import
      type(c_ptr), value :: e
      type(c_ptr), intent(in) :: inputs(*)
      integer(c_size_t), value :: n_inputs
      type(c_ptr), intent(in) :: outputs(*)
      integer(c_size_t), value :: n_outputs
      type(c_ptr), value :: ro
      type(c_ptr), intent(inout) :: err
      integer(c_int32_t) :: status
    end function
    subroutine litz_executable_release(e) bind(c, name="litz_executable_release")
      import
      type(c_ptr), value :: e
    end subroutine
  end interface

contains

  !> The library's version.
  function litz_version() result(text)
    character(:), allocatable :: text
    text = of_c(litz_version_c())
  end function

  !> Loads what torch.export.save wrote, and compiles it. `options` is a JSON object, such as '{"backend": "cpu"}'.
  subroutine litz_load_pt2(path, program, options, failure)
    character(*), intent(in) :: path
    type(litz_program), intent(inout) :: program
    character(*), intent(in), optional :: options
    type(litz_failure), intent(out), optional :: failure
    type(c_ptr) :: o, graph, err
    integer(c_int32_t) :: status
    graph = c_null_ptr
    err = c_null_ptr
    call program%release()
    status = begin(o, options, err)
    if (status == 0) status = litz_graph_from_pt2(to_c(path), o, graph, err)
    if (status == 0) status = litz_compile(graph, o, program%handle, err)
    call litz_graph_release(graph)
    call litz_options_release(o)
    call report(status, err, failure)
  end subroutine

  !> Opens an artifact. Loading runs its code, so open only files that you trust.
  subroutine litz_open(path, program, options, failure)
    character(*), intent(in) :: path
    type(litz_program), intent(inout) :: program
    character(*), intent(in), optional :: options
    type(litz_failure), intent(out), optional :: failure
    type(c_ptr) :: o, err
    integer(c_int32_t) :: status
    err = c_null_ptr
    call program%release()
    status = begin(o, options, err)
    if (status == 0) status = litz_executable_open(to_c(path), o, program%handle, err)
    call litz_options_release(o)
    call report(status, err, failure)
  end subroutine

  !> Options, once the library is known to be of this module's version.
  function begin(o, options, err) result(status)
    type(c_ptr), intent(out) :: o
    character(*), intent(in), optional :: options
    type(c_ptr), intent(inout) :: err
    integer(c_int32_t) :: status
    o = c_null_ptr
    status = litz_check_abi(1_c_int32_t, err)
    if (status == 0) status = litz_options_new(o, err)
    if (status == 0 .and. present(options)) status = litz_options_patch(o, to_c(options), err)
  end function

  !> How many tensors a run takes.
  integer function num_inputs(program)
    class(litz_program), intent(in) :: program
    num_inputs = int(litz_executable_num_inputs(program%handle))
  end function

  !> How many tensors a run gives.
  integer function num_outputs(program)
    class(litz_program), intent(in) :: program
    num_outputs = int(litz_executable_num_outputs(program%handle))
  end function

  !> The name of input k, from 1 on.
  function input_name(program, k) result(name)
    class(litz_program), intent(in) :: program
    integer, intent(in) :: k
    character(:), allocatable :: name
    type(tensor_info) :: info
    info = info_of(program, 0_c_int32_t, k)
    name = of_c(info%name)
  end function

  !> The least and the largest sizes of input k; -1 as the largest: no bound.
  subroutine input_sizes(program, k, least, largest)
    class(litz_program), intent(in) :: program
    integer, intent(in) :: k
    integer(c_int64_t), allocatable, intent(out) :: least(:), largest(:)
    call sizes(info_of(program, 0_c_int32_t, k), least, largest)
  end subroutine

  !> As input_sizes, of output k.
  subroutine output_sizes(program, k, least, largest)
    class(litz_program), intent(in) :: program
    integer, intent(in) :: k
    integer(c_int64_t), allocatable, intent(out) :: least(:), largest(:)
    call sizes(info_of(program, 1_c_int32_t, k), least, largest)
  end subroutine

  subroutine sizes(info, least, largest)
    type(tensor_info), intent(in) :: info
    integer(c_int64_t), allocatable, intent(out) :: least(:), largest(:)
    integer(c_int64_t), pointer :: a(:), b(:)
    allocate (least(info%ndim), largest(info%ndim))
    if (info%ndim == 0) return
    call c_f_pointer(info%min_shape, a, [info%ndim])
    call c_f_pointer(info%max_shape, b, [info%ndim])
    least = a
    largest = b
  end subroutine

  function info_of(program, what, k) result(info)
    class(litz_program), intent(in) :: program
    integer(c_int32_t), intent(in) :: what
    integer, intent(in) :: k
    type(tensor_info) :: info
    type(c_ptr) :: err
    err = c_null_ptr
    info%struct_size = c_sizeof(info)
    call report(litz_executable_info(program%handle, what, int(k - 1, c_size_t), info, err), err)
  end function

  !> The sizes of output k for these inputs; one that depends on data gets its bound, -1 where there is none.
  subroutine infer_sizes(program, inputs, k, shape, failure)
    class(litz_program), intent(in) :: program
    type(litz_tensor), intent(inout), target :: inputs(:)
    integer, intent(in) :: k
    integer(c_int64_t), allocatable, intent(out) :: shape(:)
    type(litz_failure), intent(out), optional :: failure
    type(dl_tensor), allocatable :: outputs(:)
    integer(c_int64_t), allocatable, target :: found(:, :), strides(:, :)
    type(c_ptr) :: err
    integer(c_int32_t) :: status
    integer :: n
    err = c_null_ptr
    n = program%num_outputs()
    allocate (outputs(n), found(most_dimensions, n), strides(most_dimensions, n))
    do n = 1, size(outputs)
      outputs(n)%shape = c_loc(found(1, n))
      outputs(n)%strides = c_loc(strides(1, n))
    end do
    status = litz_executable_infer_outputs(program%handle, pointers(inputs), size(inputs, kind=c_size_t), outputs, &
        size(outputs, kind=c_size_t), err)
    if (status == 0) shape = found(:outputs(k)%ndim, k)
    if (status /= 0) allocate (shape(0))
    call report(status, err, failure)
  end subroutine

  !> Runs once into arrays of the sizes that infer_sizes tells. Inputs that the program mutates are written to.
  subroutine run(program, inputs, outputs, failure)
    class(litz_program), intent(in) :: program
    type(litz_tensor), intent(inout), target :: inputs(:), outputs(:)
    type(litz_failure), intent(out), optional :: failure
    type(c_ptr) :: err
    integer(c_int32_t) :: status
    err = c_null_ptr
    if (.not. (all(inputs%contiguous) .and. all(outputs%contiguous))) then
      call refuse("an array that is not contiguous cannot be a tensor: copy it first", failure)
      return
    end if
    status = litz_executable_run_into(program%handle, pointers(inputs), size(inputs, kind=c_size_t), pointers(outputs), &
        size(outputs, kind=c_size_t), c_null_ptr, err)
    call report(status, err, failure)
  end subroutine

  !> Writes the program as an artifact.
  subroutine save_artifact(program, path, failure)
    class(litz_program), intent(in) :: program
    character(*), intent(in) :: path
    type(litz_failure), intent(out), optional :: failure
    type(c_ptr) :: err
    err = c_null_ptr
    call report(litz_executable_save(program%handle, to_c(path), err), err, failure)
  end subroutine

  !> The program as JSON.
  function describe(program) result(json)
    class(litz_program), intent(in) :: program
    character(:), allocatable :: json
    type(c_ptr) :: string, err
    string = c_null_ptr
    err = c_null_ptr
    call report(litz_executable_describe(program%handle, string, err), err)
    json = of_c(litz_string_data(string))
    call litz_string_release(string)
  end function

  !> Frees the program; a variable that goes out of scope does so by itself.
  subroutine release(program)
    class(litz_program), intent(inout) :: program
    call litz_executable_release(program%handle)
    program%handle = c_null_ptr
  end subroutine

  subroutine finish(program)
    type(litz_program), intent(inout) :: program
    call program%release()
  end subroutine

  !> Tensors as the library takes them. Their sizes lie in themselves.
  function pointers(tensors) result(list)
    type(litz_tensor), intent(inout), target :: tensors(:)
    type(c_ptr) :: list(size(tensors))
    integer :: k
    do k = 1, size(tensors)
      tensors(k)%raw%shape = c_loc(tensors(k)%shape)
      tensors(k)%raw%strides = c_loc(tensors(k)%strides)
      list(k) = c_loc(tensors(k)%raw)
    end do
  end function

  function tensor_of_r4(x) result(t)
    real(c_float), intent(in), target :: x(..)
    type(litz_tensor) :: t
    t = described(c_loc(x), 2, 32, shape(x, kind=c_int64_t), is_contiguous(x))
  end function

  function tensor_of_r8(x) result(t)
    real(c_double), intent(in), target :: x(..)
    type(litz_tensor) :: t
    t = described(c_loc(x), 2, 64, shape(x, kind=c_int64_t), is_contiguous(x))
  end function

  function tensor_of_i4(x) result(t)
    integer(c_int32_t), intent(in), target :: x(..)
    type(litz_tensor) :: t
    t = described(c_loc(x), 0, 32, shape(x, kind=c_int64_t), is_contiguous(x))
  end function

  function tensor_of_i8(x) result(t)
    integer(c_int64_t), intent(in), target :: x(..)
    type(litz_tensor) :: t
    t = described(c_loc(x), 0, 64, shape(x, kind=c_int64_t), is_contiguous(x))
  end function

  function described(data, code, bits, sizes, contiguous) result(t)
    type(c_ptr), intent(in) :: data
    integer, intent(in) :: code, bits
    integer(c_int64_t), intent(in) :: sizes(:)
    logical, intent(in) :: contiguous
    type(litz_tensor) :: t
    integer(c_int64_t) :: step
    integer :: k
    t%raw%data = data
    t%raw%ndim = size(sizes)
    t%raw%dtype%code = int(code, c_int8_t)
    t%raw%dtype%bits = int(bits, c_int8_t)
    t%contiguous = contiguous
    step = 1
    do k = 1, size(sizes)
      t%shape(k) = sizes(k)
      t%strides(k) = step
      step = step*max(sizes(k), 1_c_int64_t)
    end do
  end function

  subroutine report(status, err, failure)
    integer(c_int32_t), intent(in) :: status
    type(c_ptr), intent(in) :: err
    type(litz_failure), intent(out), optional :: failure
    type(litz_failure) :: own
    if (status == 0) return
    own%status = status
    own%message = of_c(litz_error_message(err))
    call litz_error_release(err)
    call raise(own, failure)
  end subroutine

  !> What the library would not be asked.
  subroutine refuse(message, failure)
    character(*), intent(in) :: message
    type(litz_failure), intent(out), optional :: failure
    type(litz_failure) :: own
    own%status = 1
    own%message = message
    call raise(own, failure)
  end subroutine

  subroutine raise(own, failure)
    type(litz_failure), intent(in) :: own
    type(litz_failure), intent(inout), optional :: failure
    if (present(failure)) then
      failure = own
    else
      write (error_unit, "(a)") "litz: "//own%message
      error stop 1
    end if
  end subroutine

  function to_c(text) result(c)
    character(*), intent(in) :: text
    character(kind=c_char) :: c(len_trim(text) + 1)
    integer :: k
    do k = 1, len_trim(text)
      c(k) = text(k:k)
    end do
    c(len_trim(text) + 1) = c_null_char
  end function

  function of_c(c) result(text)
    type(c_ptr), intent(in) :: c
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: k, n
    n = int(c_strlen(c))
    allocate (character(n) :: text)
    call c_f_pointer(c, bytes, [n])
    do k = 1, n
      text(k:k) = bytes(k)
    end do
  end function
end module

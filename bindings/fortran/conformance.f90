!> The conformance program: what every binding must do, in order. What it prints is bindings/conformance.txt.
program conformance
  use, intrinsic :: iso_c_binding
  use litz
  implicit none
  type(litz_program) :: program
  type(litz_failure) :: failure
  type(litz_tensor) :: inputs(1), outputs(1)
  real(c_float), target :: x(2, 32), y(2, 10), into(2, 10), many(600, 32), none(600, 10)
  integer(c_int64_t), allocatable :: least(:), largest(:), shape(:)
  character(4096) :: path
  integer :: k, same

  call get_command_argument(1, path)
  call litz_load_pt2(trim(path), program)
  print "(a,i0,a,i0,a)", "load: ", program%num_inputs(), " input, ", program%num_outputs(), " output"
  call program%input_sizes(1, least, largest)
  print "(a,i0,a,i0,a,i0,a)", "info: "//program%input_name(1)//" of ", size(least), " dimensions, ", least(1), " to ", &
      largest(1), " rows"

  do k = 1, 32
    x(1, k) = real(mod(k - 1, 7) - 3, c_float)/4
    x(2, k) = real(mod(k + 31, 7) - 3, c_float)/4
  end do
  inputs(1) = litz_tensor_of(x)
  call program%infer_sizes(inputs, 1, shape)
  outputs(1) = litz_tensor_of(y)
  call program%run(inputs, outputs)
  print "(a,i0,a,i0,a,f7.4,a,f7.4)", "run: ", shape(1), " by ", shape(2), ", ", y(1, 1), " and ", y(2, 10)

  outputs(1) = litz_tensor_of(into)
  call program%run(inputs, outputs)
  print "(a)", "run_into: "//trim(merge("the same", "differs ", all(abs(into - y) <= 0)))

  many = 0
  inputs(1) = litz_tensor_of(many)
  outputs(1) = litz_tensor_of(none)
  call program%run(inputs, outputs, failure)
  call told(failure, "512")
  block
    type(litz_program) :: missing
    call litz_load_pt2("/nonexistent.pt2", missing, failure=failure)
    call told(failure, "/nonexistent.pt2")
  end block

  same = 0
  !$omp parallel do num_threads(4) reduction(+:same)
  do k = 1, 4
    same = same + hundred()
  end do
  !$omp end parallel do
  print "(a,i0,a)", "threads: ", same, " runs the same"
  call program%release()
  print "(a)", "release: all right"

contains

  subroutine told(failure, what)
    type(litz_failure), intent(in) :: failure
    character(*), intent(in) :: what
    print "(a,i0,a)", "errors: status ", failure%status, ", "// &
        trim(merge("which it names        ", "which it does not name", index(failure%message, what) > 0))
  end subroutine

  integer function hundred()
    type(litz_tensor) :: inputs(1), outputs(1)
    real(c_float), target :: own(2, 10)
    integer :: n
    hundred = 0
    inputs(1) = litz_tensor_of(x)
    outputs(1) = litz_tensor_of(own)
    do n = 1, 100
      own = 0
      call program%run(inputs, outputs)
      if (all(abs(own - y) <= 0)) hundred = hundred + 1
    end do
  end function
end program

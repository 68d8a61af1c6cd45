!> Says which digit an image shows, with the convolutional network of examples/digits.
program digits
  use, intrinsic :: iso_c_binding
  use litz
  implicit none
  type(litz_program) :: program
  type(litz_tensor) :: inputs(1), outputs(1)
  real(c_float), target :: image(1, 1, 8, 8), scores(1, 10)
  character(4096) :: path
  integer :: row
  !> A one, 8 by 8, as bright as the data set has it, 0 to 16.
  integer, parameter :: pixels(8, 8) = reshape([ &
      0, 0, 0, 5, 9, 0, 0, 0, 0, 0, 0, 5, 15, 9, 0, 0, 0, 0, 0, 11, 15, 7, 0, 0, 0, 0, 0, 15, 15, 5, 0, 0, &
      0, 0, 0, 8, 15, 12, 0, 0, 0, 0, 0, 8, 15, 13, 0, 0, 0, 0, 0, 6, 15, 14, 0, 0, 0, 0, 0, 5, 9, 9, 0, 0], [8, 8])

  call get_command_argument(1, path)
  call litz_load_pt2(trim(path), program)
  do row = 1, 8
    image(1, 1, row, :) = real(pixels(:, row), c_float)/16
  end do
  inputs(1) = litz_tensor_of(image)
  outputs(1) = litz_tensor_of(scores)
  call program%run(inputs, outputs)
  print "(a,i0)", "it is a ", maxloc(scores(1, :), dim=1) - 1
end program

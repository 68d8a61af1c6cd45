// Package litz loads what PyTorch exported, or an ONNX model, compiles it to native code and runs it. It calls the C ABI of
// liblitz.so without cgo.
//
//	program, err := litz.Load(ctx, "model.pt2", litz.With("cpu.threads", 2))
//	if err != nil {
//		return err
//	}
//	defer program.Close()
//	x, err := litz.NewTensor([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
//	if err != nil {
//		return err
//	}
//	results, err := program.Run(ctx, x)
//	if err != nil {
//		return err
//	}
//	defer results[0].Close()
//	scores, err := litz.Data[float32](results[0])
//
// The library is opened at the first call: the file that the environment's LITZ_LIBRARY names, or what the system's loader finds
// as liblitz.so.0.
//
// All types may be used by any number of goroutines at once. Runs of a program go on at the same time, but for those of a program
// that changes its own constants; calls with one graph wait for each other.
//
// What Close frees is also freed when the garbage collector finds that nothing refers to it. The exception is a result whose
// memory [Data] has lent: only Close frees that.
//
// Graphs by hand, operators of a program's own and tensors on a GPU are not part of this package. The option run.host_tensors=copy
// runs programs for a GPU on tensors of the host, and the package litz/abi has all functions of the C ABI.
package litz

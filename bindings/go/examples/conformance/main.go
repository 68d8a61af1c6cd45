// The conformance program: what every binding must do, in order. What it prints is bindings/conformance.txt.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"litz"
)

var background = context.Background()

func main() {
	if err := conform(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func rows(n int) (*litz.Tensor, error) {
	elements := make([]float32, n*32)
	for k := range elements {
		elements[k] = (float32(k%7) - 3) / 4
	}
	return litz.NewTensor(elements, n, 32)
}

func same(a, b []float32) bool {
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// told says what a failed call said of what.
func told(err error, what string) error {
	var failed *litz.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("no error of Litz's: %v", err)
	}
	names := "does not name"
	if strings.Contains(failed.Message, what) {
		names = "names"
	}
	fmt.Printf("errors: status %d, which it %s\n", failed.Code, names)
	return nil
}

func conform(model string) error {
	program, err := litz.Load(background, model)
	if err != nil {
		return err
	}
	fmt.Printf("load: %d input, %d output\n", len(program.Inputs()), len(program.Outputs()))
	x := program.Inputs()[0]
	fmt.Printf("info: %s of %d dimensions, %d to %d rows\n", x.Name, len(x.MinShape), x.MinShape[0], x.MaxShape[0])

	input, err := rows(2)
	if err != nil {
		return err
	}
	results, err := program.Run(background, input)
	if err != nil {
		return err
	}
	defer results[0].Close()
	y, err := litz.Data[float32](results[0])
	if err != nil {
		return err
	}
	shape := results[0].Shape()
	fmt.Printf("run: %d by %d, %.4f and %.4f\n", shape[0], shape[1], y[0], y[19])

	types, err := program.InferOutputs(input)
	if err != nil {
		return err
	}
	into, err := litz.Zeros(types[0].DType, types[0].Shape...)
	if err != nil {
		return err
	}
	if err := program.RunInto(background, []*litz.Tensor{input}, []*litz.Tensor{into}); err != nil {
		return err
	}
	z, err := litz.Data[float32](into)
	if err != nil {
		return err
	}
	differs := "differs"
	if same(z, y) {
		differs = "the same"
	}
	fmt.Printf("run_into: %s\n", differs)

	large, err := rows(600)
	if err != nil {
		return err
	}
	_, err = program.Run(background, large)
	if err := told(err, "512"); err != nil {
		return err
	}
	_, err = litz.LoadPT2("/nonexistent.pt2")
	if err := told(err, "/nonexistent.pt2"); err != nil {
		return err
	}

	var equal int64
	var threads sync.WaitGroup
	for thread := 0; thread < 4; thread++ {
		threads.Add(1)
		go func() {
			defer threads.Done()
			for k := 0; k < 100; k++ {
				own, err := program.Run(background, input)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				if z, err := litz.Data[float32](own[0]); err == nil && same(z, y) {
					atomic.AddInt64(&equal, 1)
				}
				own[0].Close()
			}
		}()
	}
	threads.Wait()
	fmt.Printf("threads: %d runs the same\n", equal)

	program.Close()
	program.Close()
	if _, err := program.Run(background, input); !errors.Is(err, litz.ErrState) {
		return fmt.Errorf("a closed program ran: %v", err)
	}
	// Results outlive their program.
	if !same(y, z) {
		return errors.New("a result ended with its program")
	}
	fmt.Println("release: all right")
	return nil
}

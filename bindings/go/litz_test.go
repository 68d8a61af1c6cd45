package litz_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"litz"
)

var background = context.Background()

func compiled(t *testing.T, source string, with ...litz.Option) *litz.Executable {
	t.Helper()
	graph, err := litz.ParseText(source)
	must(t, err)
	defer graph.Close()
	program, err := graph.Compile(background, with...)
	must(t, err)
	t.Cleanup(func() { program.Close() })
	return program
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func made[T litz.Element](t *testing.T, elements []T, shape ...int) *litz.Tensor {
	t.Helper()
	tensor, err := litz.NewTensor(elements, shape...)
	must(t, err)
	return tensor
}

func ran(t *testing.T, program *litz.Executable, inputs ...*litz.Tensor) *litz.Tensor {
	t.Helper()
	results, err := program.Run(background, inputs...)
	must(t, err)
	return results[0]
}

func expect[T litz.Element](t *testing.T, tensor *litz.Tensor, want ...T) {
	t.Helper()
	got, err := litz.Data[T](tensor)
	must(t, err)
	if !reflect.DeepEqual(got, append([]T{}, want...)) {
		t.Errorf("%v, not %v", got, want)
	}
}

func doubled[T litz.Element](t *testing.T, dtype string, elements, want []T) {
	t.Helper()
	program := compiled(t, fmt.Sprintf(`graph "double" {
  input %%0 "x": %s[%d]
  %%1 = aten.add.Tensor(%%0, %%0)
  output "y" = %%1
}`, dtype, len(elements)))
	if name := program.Inputs()[0].DType.String(); name != dtype {
		t.Errorf("%s, not %s", name, dtype)
	}
	y := ran(t, program, made(t, elements, len(elements)))
	defer y.Close()
	expect(t, y, want...)
}

func TestElementsOfEachType(t *testing.T) {
	doubled(t, "float32", []float32{1, -2.5}, []float32{2, -5})
	doubled(t, "float64", []float64{1, -2.5}, []float64{2, -5})
	doubled(t, "float16", []litz.Half{litz.ToHalf(1), litz.ToHalf(-2.5)}, []litz.Half{litz.ToHalf(2), litz.ToHalf(-5)})
	doubled(t, "bfloat16", []litz.Brain{litz.ToBrain(1), litz.ToBrain(-2.5)}, []litz.Brain{litz.ToBrain(2), litz.ToBrain(-5)})
	doubled(t, "int8", []int8{1, -2}, []int8{2, -4})
	doubled(t, "int16", []int16{1, -2}, []int16{2, -4})
	doubled(t, "int32", []int32{1, -2}, []int32{2, -4})
	doubled(t, "int64", []int64{1, -2}, []int64{2, -4})
	doubled(t, "uint8", []uint8{1, 200}, []uint8{2, 144})
	doubled(t, "bool", []bool{true, false}, []bool{true, false})
	doubled(t, "complex64", []complex64{1 + 2i, -1i}, []complex64{2 + 4i, -2i})
	doubled(t, "complex128", []complex128{1 + 2i, -1i}, []complex128{2 + 4i, -2i})
}

func TestShapes(t *testing.T) {
	program := compiled(t, `graph "turn" {
  symbol s0 in [0, 8] hint 4
  input %0 "x": float32[s0, 3]
  input %1 "n": float32[]
  %2 = aten.mul.Tensor(%0, %1)
  %3 = aten.t.default(%2)
  output "y" = %3
}`)
	two := made(t, []float32{2})
	y := ran(t, program, made(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), two)
	defer y.Close()
	if shape := y.Shape(); !reflect.DeepEqual(shape, []int{3, 2}) || y.Len() != 6 || y.String() != "float32[3 2]" {
		t.Errorf("%v of %v", y, shape)
	}
	// Its elements lie as those of what it turns.
	expect(t, y, float32(2), 8, 4, 10, 6, 12)
	copied, err := litz.Copy[float32](y)
	must(t, err)
	if !reflect.DeepEqual(copied, []float32{2, 8, 4, 10, 6, 12}) {
		t.Error(copied)
	}
	empty := ran(t, program, made(t, []float32{}, 0, 3), two)
	defer empty.Close()
	expect[float32](t, empty)

	for _, shape := range [][]int{{2, 2}, {-1, -6}, {math.MaxInt, 4}, {}} {
		if _, err := litz.NewTensor([]float32{1, 2, 3, 4, 5, 6}, shape...); !errors.Is(err, litz.ErrShape) {
			t.Errorf("shape %v: %v", shape, err)
		}
	}
	if _, err := litz.Zeros(litz.Float64, math.MaxInt/2); !errors.Is(err, litz.ErrShape) {
		t.Error(err)
	}
	if _, err := litz.Data[int32](y); !errors.Is(err, litz.ErrDType) {
		t.Error(err)
	}
}

func TestViewsOutliveTheCollector(t *testing.T) {
	program := compiled(t, `graph "add" {
  input %0 "x": float32[1000]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`)
	elements := make([]float32, 1000)
	var views [][]float32
	for k := 0; k < 50; k++ {
		elements[0] = float32(k)
		// Nothing refers to the tensor any more.
		view, err := litz.Data[float32](ran(t, program, made(t, elements, 1000)))
		must(t, err)
		views = append(views, view)
		// This one's memory goes back, and would be taken again.
		ran(t, program, made(t, elements, 1000))
		runtime.GC()
	}
	for k, view := range views {
		if view[0] != float32(2*k) {
			t.Fatalf("view %d is %v", k, view[0])
		}
	}
}

func TestClosing(t *testing.T) {
	source := `graph "add" {
  input %0 "x": float32[2]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`
	graph, err := litz.ParseText(source)
	must(t, err)
	program, err := graph.Compile(background)
	must(t, err)
	must(t, graph.Close())
	must(t, graph.Close())
	if _, err := graph.Compile(background); !errors.Is(err, litz.ErrState) {
		t.Error(err)
	}
	x := made(t, []float32{1, 2}, 2)
	y := ran(t, program, x)
	must(t, program.Close())
	must(t, program.Close())
	if _, err := program.Run(background, x); !errors.Is(err, litz.ErrState) {
		t.Error(err)
	}
	expect(t, y, float32(2), 4)
	must(t, y.Close())
	must(t, y.Close())
	if _, err := litz.Data[float32](y); !errors.Is(err, litz.ErrState) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	_, err := litz.LoadPT2("/nonexistent.pt2")
	var failed *litz.Error
	if !errors.As(err, &failed) || failed.Code != litz.ErrIO || !errors.Is(err, litz.ErrIO) || errors.Is(err, litz.ErrShape) {
		t.Fatal(err)
	}
	var detail struct{ Message string }
	must(t, json.Unmarshal(failed.Detail, &detail))
	if detail.Message != failed.Message {
		t.Errorf("%q and %q", detail.Message, failed.Message)
	}
	if _, err := litz.LoadPT2("model\x00.pt2"); !errors.Is(err, litz.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := litz.Load(background, "model.so"); !errors.Is(err, litz.ErrInvalidArgument) {
		t.Error(err)
	}
	if _, err := litz.ParseText("graph {", litz.With("no.such.option", 1)); !errors.Is(err, litz.ErrInvalidArgument) {
		t.Error(err)
	}
	for _, source := range []string{"", "graph {"} {
		if _, err := litz.ParseText(source); !errors.Is(err, litz.ErrParse) {
			t.Errorf("%q: %v", source, err)
		}
	}
	if _, err := litz.ParsePT2(nil); !errors.Is(err, litz.ErrParse) {
		t.Error(err)
	}
}

func TestConstants(t *testing.T) {
	program := compiled(t, `graph "scale" {
  input %0 "x": float32[2]
  parameter %1 "w": float32[2] = [3, 4]
  %2 = aten.mul.Tensor(%0, %1)
  output "y" = %2
}`)
	constants, err := program.Constants()
	must(t, err)
	if len(constants) != 1 || constants[0].Name != "w" {
		t.Fatalf("%v", constants)
	}
	other, err := program.Clone()
	must(t, err)
	defer other.Close()
	must(t, program.UpdateConstants(map[string]*litz.Tensor{"w": made(t, []float32{5, 6}, 2)}))
	if err := program.UpdateConstants(map[string]*litz.Tensor{"v": made(t, []float32{5, 6}, 2)}); err == nil {
		t.Error("there is no v")
	}
	w, err := program.Constant("w")
	must(t, err)
	expect(t, w, float32(5), 6)
	x := made(t, []float32{1, 10}, 2)
	expect(t, ran(t, program, x), float32(5), 60)

	file := filepath.Join(t.TempDir(), "w.safetensors")
	must(t, program.SaveConstants(file))
	must(t, other.LoadConstants(file))
	expect(t, ran(t, other, x), float32(5), 60)

	place := filepath.Join(t.TempDir(), "scale.so")
	must(t, program.Save(place))
	opened, err := litz.Open(place)
	must(t, err)
	defer opened.Close()
	expect(t, ran(t, opened, x), float32(5), 60)
}

func TestRandomNumbers(t *testing.T) {
	program := compiled(t, `graph "noise" {
  input %0 "x": float32[64]
  %1 = aten.rand_like.default(%0)
  output "y" = %1
}`)
	x, begin := made(t, make([]float32, 64), 64), litz.Random{Seed: 7, Offset: 3}
	numbers := func(from litz.Random) ([]float32, litz.Random) {
		results, next, err := program.RunRandom(background, from, x)
		must(t, err)
		data, err := litz.Copy[float32](results[0])
		must(t, err)
		return data, next
	}
	first, next := numbers(begin)
	again, _ := numbers(begin)
	second, _ := numbers(next)
	if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, second) || next.Seed != 7 || next.Offset <= 3 {
		t.Errorf("%v then %v", begin, next)
	}
}

func TestListeners(t *testing.T) {
	var mutex sync.Mutex
	var lines, messages []string
	program := compiled(t, `graph "add" {
  input %0 "x": float32[2]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`, litz.With("profile", true), litz.WithLog(litz.LevelDebug, func(level litz.Level, message string) {
		mutex.Lock()
		defer mutex.Unlock()
		messages = append(messages, fmt.Sprint(level, message))
	}), litz.WithTrace(func(line string) {
		mutex.Lock()
		defer mutex.Unlock()
		lines = append(lines, line)
	}))
	mutex.Lock()
	compilation := len(lines)
	if compilation == 0 || len(messages) == 0 {
		t.Errorf("%d lines and %d messages", compilation, len(messages))
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	mutex.Unlock()
	// Options are released by now, and the program still tells.
	runtime.GC()
	ran(t, program, made(t, []float32{1, 2}, 2))
	mutex.Lock()
	defer mutex.Unlock()
	if len(lines) == compilation {
		t.Error("a run says nothing")
	}
}

func TestOptions(t *testing.T) {
	program := compiled(t, `graph "add" {
  input %0 "x": float32[2]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`, litz.WithAll(map[string]any{"cpu.threads": 3, "numerics": "strict"}))
	described, err := program.Describe()
	must(t, err)
	var found struct{ Options map[string]any }
	must(t, json.Unmarshal(described, &found))
	for key, want := range map[string]string{"cpu.threads": "3", "numerics": "strict"} {
		if got := fmt.Sprint(found.Options[key]); got != want {
			t.Errorf("%s is %s, not %s", key, got, want)
		}
	}
}

// slow is many products of large matrices, of which none has an effect but on the result.
func slow(t *testing.T) (*litz.Executable, []*litz.Tensor) {
	var source strings.Builder
	source.WriteString("graph \"slow\" {\n  input %0 \"x\": float32[512, 512]\n  input %1 \"w\": float32[512, 512]\n")
	layers := 100
	for k := 0; k < layers; k++ {
		left := k + 1
		if k == 0 {
			left = 0
		}
		fmt.Fprintf(&source, "  %%%d = aten.mm.default(%%%d, %%1)\n", k+2, left)
	}
	fmt.Fprintf(&source, "  output \"y\" = %%%d\n}", layers+1)
	identity := make([]float32, 512*512)
	for k := 0; k < 512; k++ {
		identity[k*513] = 1
	}
	elements := make([]float32, 512*512)
	for k := range elements {
		elements[k] = float32(k % 101)
	}
	inputs := []*litz.Tensor{made(t, elements, 512, 512), made(t, identity, 512, 512)}
	return compiled(t, source.String(), litz.With("cpu.threads", 1)), inputs
}

func TestContextsEndTheirOwnRuns(t *testing.T) {
	program, inputs := slow(t)
	want, err := litz.Data[float32](inputs[0])
	must(t, err)
	begun := time.Now()
	ran(t, program, inputs...)
	whole := time.Since(begun)

	done, cancel := context.WithCancel(background)
	cancel()
	if _, err := program.Run(done, inputs...); !errors.Is(err, context.Canceled) || !errors.Is(err, litz.ErrCancelled) {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		// It is met by the other's cancellations, and begins anew.
		results, err := program.Run(background, inputs...)
		if err != nil {
			t.Error(err)
			return
		}
		if got, err := litz.Copy[float32](results[0]); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("another result: %v", err)
		}
	}()
	for k := 0; k < 5; k++ {
		limit := time.Duration(k) * whole / 20
		soon, cancel := context.WithTimeout(background, limit)
		_, err := program.Run(soon, inputs...)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, litz.ErrCancelled) {
			t.Errorf("a limit of %v of %v: %v", limit, whole, err)
		}
	}
	all.Wait()
	// A context may be done before its run has quite begun.
	for k := 0; k < 100; k++ {
		soon, cancel := context.WithTimeout(background, time.Duration(k)*time.Microsecond)
		_, err := program.Run(soon, inputs...)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a limit of %d µs: %v", k, err)
		}
	}
}

func TestCancelEndsAllRuns(t *testing.T) {
	program, inputs := slow(t)
	failures := make(chan error)
	for k := 0; k < 2; k++ {
		go func() {
			for {
				results, err := program.Run(background, inputs...)
				if err != nil {
					failures <- err
					return
				}
				results[0].Close()
			}
		}()
	}
	for ended := 0; ended < 2; {
		must(t, program.Cancel())
		select {
		case err := <-failures:
			ended++
			if !errors.Is(err, litz.ErrCancelled) || errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case <-time.After(5 * time.Millisecond):
		}
	}
	ran(t, program, inputs...)
}

func TestContextsEndCompilations(t *testing.T) {
	compiler := filepath.Join(t.TempDir(), "slow-compiler")
	must(t, os.WriteFile(compiler, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then exec c++ --version; fi\nsleep 60\n"), 0o755))
	graph, err := litz.ParseText(`graph "add" {
  input %0 "x": float32[2]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`)
	must(t, err)
	defer graph.Close()
	soon, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err = graph.Compile(soon, litz.With("cpp.compiler", compiler), litz.With("cache.enabled", false))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// What a call costs besides the program's own work.
func BenchmarkRun(b *testing.B) {
	graph, err := litz.ParseText(`graph "add" {
  input %0 "x": float32[8]
  %1 = aten.add.Tensor(%0, %0)
  output "y" = %1
}`)
	if err != nil {
		b.Fatal(err)
	}
	program, err := graph.Compile(background)
	if err != nil {
		b.Fatal(err)
	}
	x, err := litz.NewTensor(make([]float32, 8), 8)
	if err != nil {
		b.Fatal(err)
	}
	into, err := litz.Zeros(litz.Float32, 8)
	if err != nil {
		b.Fatal(err)
	}
	ending, cancel := context.WithCancel(background)
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": background, "cancellable": ending} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for k := 0; k < b.N; k++ {
				results, err := program.Run(ctx, x)
				if err != nil {
					b.Fatal(err)
				}
				results[0].Close()
			}
		})
	}
	b.Run("into", func(b *testing.B) {
		b.ReportAllocs()
		inputs, outputs := []*litz.Tensor{x}, []*litz.Tensor{into}
		for k := 0; k < b.N; k++ {
			if err := program.RunInto(background, inputs, outputs); err != nil {
				b.Fatal(err)
			}
		}
	})
}

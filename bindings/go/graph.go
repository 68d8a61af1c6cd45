package litz

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"litz/abi"
)

// Graph is a program of tensors that was loaded and can be compiled. Calls with one graph wait for each other.
type Graph struct {
	mutex  sync.Mutex
	handle *abi.Graph
	heard  *listener
}

// LoadPT2 loads what torch.export.save wrote.
func LoadPT2(path string, with ...Option) (*Graph, error) {
	return loaded(path, with, abi.GraphFromPt2)
}

// LoadONNX loads an ONNX model. Files of weights that it names are looked for in its folder.
func LoadONNX(path string, with ...Option) (*Graph, error) {
	return loaded(path, with, abi.GraphFromOnnx)
}

// ParsePT2 is [LoadPT2] from memory, which is not needed afterwards.
func ParsePT2(data []byte, with ...Option) (*Graph, error) {
	return read(with, func(o *abi.Options, out **abi.Graph, err **abi.Error) abi.Status {
		return abi.GraphFromPt2Memory(address(data), uintptr(len(data)), o, out, err)
	})
}

// ParseONNX is [LoadONNX] from memory, which is not needed afterwards. Files that the model names for its weights are looked for
// in folder; with "" a model that names any is ErrUnsupported.
func ParseONNX(data []byte, folder string, with ...Option) (*Graph, error) {
	var place *byte
	if folder != "" {
		var err error
		if place, err = cString("the folder", folder); err != nil {
			return nil, err
		}
	}
	return read(with, func(o *abi.Options, out **abi.Graph, err **abi.Error) abi.Status {
		return abi.GraphFromOnnxMemory(address(data), uintptr(len(data)), place, o, out, err)
	})
}

// ParseText reads a graph in Litz's own text, which [Graph.Text] writes.
func ParseText(source string, with ...Option) (*Graph, error) {
	data := []byte(source)
	return read(with, func(o *abi.Options, out **abi.Graph, err **abi.Error) abi.Status {
		return abi.GraphFromText((*byte)(address(data)), uintptr(len(data)), o, out, err)
	})
}

func address(data []byte) unsafe.Pointer {
	if len(data) == 0 {
		// An address for nothing: C wants one.
		return unsafe.Pointer(new(byte))
	}
	return unsafe.Pointer(&data[0])
}

func loaded(
	path string, with []Option, reader func(*byte, *abi.Options, **abi.Graph, **abi.Error) abi.Status,
) (*Graph, error) {
	place, err := cString("the path", path)
	if err != nil {
		return nil, err
	}
	return read(with, func(o *abi.Options, out **abi.Graph, err **abi.Error) abi.Status {
		return reader(place, o, out, err)
	})
}

func read(with []Option, reader func(*abi.Options, **abi.Graph, **abi.Error) abi.Status) (*Graph, error) {
	given, err := options(with)
	if err != nil {
		return nil, err
	}
	defer given.release()
	made := &Graph{}
	err = call(func(err **abi.Error) abi.Status { return reader(given.handle, &made.handle, err) })
	if err != nil {
		return nil, err
	}
	made.heard = given.heard.retain()
	runtime.SetFinalizer(made, (*Graph).Close)
	return made, nil
}

// Load loads a model by the ending of its name, .pt2 or .onnx, and compiles it with the same options.
func Load(ctx context.Context, path string, with ...Option) (*Executable, error) {
	reader := LoadPT2
	switch {
	case strings.HasSuffix(path, ".onnx"):
		reader = LoadONNX
	case !strings.HasSuffix(path, ".pt2"):
		return nil, failure(ErrInvalidArgument, "`%s` is neither a .pt2 nor an .onnx; open an artifact with Open", path)
	}
	graph, err := reader(path, with...)
	if err != nil {
		return nil, err
	}
	defer graph.Close()
	return graph.Compile(ctx, with...)
}

// with calls f with the graph, alone.
func (g *Graph) with(f func(handle *abi.Graph) error) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.handle == nil {
		return failure(ErrState, "the graph was closed")
	}
	return f(g.handle)
}

// compiling calls f with the graph and options; ctx ends it, and no other compilation.
func (g *Graph) compiling(ctx context.Context, with []Option, f func(*abi.Graph, settings) error) error {
	given, err := options(with)
	if err != nil {
		return err
	}
	defer given.release()
	return g.with(func(handle *abi.Graph) error {
		cancel := func() {
			_ = call(func(err **abi.Error) abi.Status { return abi.OptionsCancel(given.handle, err) })
		}
		return watched(ctx, cancel, func() error { return f(handle, given) })
	})
}

// Compile compiles the graph, which is not changed. When ctx is done the compilation ends, and the error is ErrCancelled and the
// context's.
func (g *Graph) Compile(ctx context.Context, with ...Option) (*Executable, error) {
	var made *Executable
	err := g.compiling(ctx, with, func(handle *abi.Graph, given settings) error {
		var program *abi.Executable
		err := call(func(err **abi.Error) abi.Status { return abi.Compile(handle, given.handle, &program, err) })
		if err != nil {
			return err
		}
		made, err = executable(program, given.heard)
		return err
	})
	return made, err
}

// CompileArtifact compiles the graph to an artifact at path, which [Open] opens.
func (g *Graph) CompileArtifact(ctx context.Context, path string, with ...Option) error {
	place, err := cString("the path", path)
	if err != nil {
		return err
	}
	return g.compiling(ctx, with, func(handle *abi.Graph, given settings) error {
		return call(func(err **abi.Error) abi.Status {
			return abi.CompileArtifact(handle, given.handle, place, err)
		})
	})
}

// Text is the graph as Litz's own text, with the data of its constants.
func (g *Graph) Text() (string, error) {
	var made string
	err := g.with(func(handle *abi.Graph) (err error) {
		made, err = text(func(out **abi.String, err **abi.Error) abi.Status {
			return abi.GraphToText(handle, out, err)
		})
		return err
	})
	return made, err
}

// Describe is the graph as a JSON object: its inputs, outputs, constants, symbols and operators.
func (g *Graph) Describe() (json.RawMessage, error) {
	return g.object(abi.GraphDescribe)
}

// Spec is the graph's signature as a JSON object.
func (g *Graph) Spec() (json.RawMessage, error) {
	return g.object(abi.GraphSpec)
}

func (g *Graph) object(f func(*abi.Graph, **abi.String, **abi.Error) abi.Status) (json.RawMessage, error) {
	var made json.RawMessage
	err := g.with(func(handle *abi.Graph) (err error) {
		made, err = object(func(out **abi.String, err **abi.Error) abi.Status { return f(handle, out, err) })
		return err
	})
	return made, err
}

// Close frees the graph. Programs that were compiled of it stay.
func (g *Graph) Close() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.handle != nil {
		runtime.SetFinalizer(g, nil)
		abi.GraphRelease(g.handle)
		g.handle = nil
		g.heard.release()
	}
	return nil
}

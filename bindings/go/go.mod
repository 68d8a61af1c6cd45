module litz

go 1.18

require github.com/ebitengine/purego v0.9.1

// Says which digit an image shows, with the convolutional network of examples/digits.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	"litz"
)

// A one, 8 by 8, as bright as the data set has it (0 to 16).
var image = []string{"00059000", "0005f900", "000bf700", "000ff500", "0008fc00", "0008fd00", "0006fe00", "00059900"}

func main() {
	ctx := context.Background()
	program, err := litz.Load(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	var pixels []float32
	for _, row := range image {
		for _, digit := range row {
			bright, err := strconv.ParseUint(string(digit), 16, 8)
			if err != nil {
				log.Fatal(err)
			}
			pixels = append(pixels, float32(bright)/16)
		}
	}
	x, err := litz.NewTensor(pixels, 1, 1, 8, 8)
	if err != nil {
		log.Fatal(err)
	}
	results, err := program.Run(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := litz.Copy[float32](results[0])
	if err != nil {
		log.Fatal(err)
	}
	best := 0
	for k, score := range scores {
		if score > scores[best] {
			best = k
		}
	}
	fmt.Printf("it is a %d\n", best)
}

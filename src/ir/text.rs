//! Litz text: a graph as lines that print and parse.

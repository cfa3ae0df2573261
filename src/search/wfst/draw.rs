//! A small machine as a picture: Graphviz' DOT, or SVG.

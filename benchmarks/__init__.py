"""Speed of the engine and the environments against peers, each as a ratio within one interleaved run."""

"""Files of TensorFlow Lite for tests, and what computes them."""

"""Files of TensorFlow Lite: read, checked and written."""

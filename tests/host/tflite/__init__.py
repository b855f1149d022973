"""Tests of host.tflite."""

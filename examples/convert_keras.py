# SPDX-License-Identifier: Apache-2.0
"""Convert a Keras model to a float32 or int8 .tflite file.

Keras works in float32. The converter turns weights and activations into int8: it runs the float
network on a representative data set, and takes each tensor's scale and zero point from the values
in these runs.
"""

import tensorflow as tf

REPRESENTATIVE = 200  #: Inputs of the representative data set.


def convert(model, inputs=None):
    """.tflite file content: float32, or int8 if there are training inputs to represent the
    others."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if inputs is not None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([each[None]]
                                                    for each in inputs[:REPRESENTATIVE])
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()

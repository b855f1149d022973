# SPDX-License-Identifier: Apache-2.0
"""Networks of others as images, on the golden machine with its hazards: ``--workloads=DIR``."""

import pytest

from tests.support.images import image_of, noisy_machine, run_image, with_dma
from xymac.hdl.config import BASE
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory
from xymac.host.network.load import load_model

SDRAM  = ExternalMemory()
CONFIG = with_dma(BASE)
#: Networks, and cycles within which a run must end with all transfers; None for no limit.
CYCLES = {
    "mlperf_tiny/resnet8_int8": 1.02 * 191_010, "mlperf_tiny/kws_dscnn_int8": 1.02 * 46_665,
    "mcu/person_detect": None, "mcu/micro_speech": None, "mcu/mnist_lstm": None,
    "mcu/mobilenetv2_035_160": 830_000, "mcu/resnet_large_ic02": 1_260_000,
    "field/fomo_face": 205_000, "field/dtln": 97_000 * 4 / 2 / 0.9, "field/blazeface": None,
    "field/vad": None, "field/wakeword_okay_nabu": None, "field/keyword_scrambled": None,
    "field/har": None, "field/diy_alexa": None, "field/anomaly_detection": None,
    "field/keras_lstm_mnist": None, "field/mnist_depthwise": None,
    "field/rock_paper_scissors": None, "keras/conv1d": None, "keras/mobile": None,
    "keras/tcn": None, "keras/unet": None, "mcu/seanet/conv0": None, "mcu/seanet/add15": None,
    "mcu/seanet/transpose_conv4": None, "mcu/seanet/pad3": None}


@pytest.mark.parametrize("name", CYCLES)
def test_outputs_and_cycles(name, workloads):
    network = load_model(workloads / f"{name}.tflite")
    image   = image_of(network, CONFIG, SDRAM)
    with noisy_machine(CONFIG) as device:
        run_image(network, image, device)
    cycles = predict_list(image.run.ordered, CONFIG, SDRAM).cycles
    assert cycles <= (CYCLES[name] or cycles)

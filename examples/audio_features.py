# SPDX-License-Identifier: Apache-2.0
"""Speech features: MFCC, mel-frequency cepstral coefficients, in numpy.

A second at 16 kHz becomes 49 frames with 10 coefficients, the input for MLPerf Tiny's keyword
spotting network: frames of 30 ms every 20 ms, each frame's power spectrum in 40 bands from 20 Hz
to 4 kHz with equal width on the mel scale, each band's logarithm, and the first 10 coefficients
of their cosine transform.
"""

import numpy as np

RATE         = 16_000       #: Samples a second.
FRAME, STEP  = 480, 320     #: 30 ms and 20 ms.
BANDS        = 40
COEFFICIENTS = 10
LOW, HIGH    = 20.0, 4000.0  # Hz
_POINTS      = 512          # of the Fourier transform
_SILENCE     = 1e-6         # keeps the logarithm finite


def mfcc(sound):
    """Coefficients, float32 (..., frames, 10), from sounds, (..., samples) from -1 to 1."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME, axis=-1)[..., ::STEP, :]
    power  = np.abs(np.fft.rfft(frames * np.hanning(FRAME), _POINTS)) ** 2
    bands  = np.log(power @ _filters() + _SILENCE)
    return (bands @ _cosines()).astype(np.float32)


def _mel(hertz):
    return 1127 * np.log1p(np.asarray(hertz) / 700)


def _filters():
    """Triangular filters, (spectrum points, BANDS)."""
    edges  = np.linspace(_mel(LOW), _mel(HIGH), BANDS + 2)
    places = _mel(np.fft.rfftfreq(_POINTS, 1 / RATE))[:, None]
    rising  = (places - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - places) / (edges[2:] - edges[1:-1])
    return np.clip(np.minimum(rising, falling), 0, None)


def _cosines():
    """The cosine transform, (BANDS, COEFFICIENTS)."""
    bands = np.arange(BANDS)[:, None] + 0.5
    return np.sqrt(2 / BANDS) * np.cos(np.pi / BANDS * bands * np.arange(COEFFICIENTS))

# SPDX-License-Identifier: Apache-2.0
"""Run an image on a core with a DMA: values in, a single start, values out."""

from dataclasses import replace

from xymac import golden
from xymac.host.errors import translate_refusals
from xymac.host.executable.steps import COPY

__all__ = ["ImageRunner"]


class ImageRunner:
    """An Image in an open Device's external memory.

    Parameters
    ----------
    image : Image
    device : Device, whose core has a DMA

    Attributes
    ----------
    content : uint8 array, the external memory; states stay in it from run to run
    """

    def __init__(self, image, device):
        self.image, self._device = image, device
        self.content = image.content.copy()
        self._values = image.executable.values

    def load(self):
        """Run the list ``load``; returns its ListResult. DeviceError if it does not end well."""
        return self._run(self.image.load)

    def run(self, *inputs):
        """Run the list ``run`` on arrays, an array per input: (tuple of output arrays, ListResult).

        DeviceError if the list does not end well, InputError for values that a host computation
        refuses.
        """
        image, executable = self.image, self.image.executable
        known = dict(executable.constants)
        known |= {number: replace(blank, data=data) for number, (blank, data) in enumerate(
            zip(executable.inputs, inputs, strict=True))}
        read  = {number for step in (*image.before, *image.after) for number in step.values}
        known |= {number: self.read(number) for number in read & {*executable.states}}
        known = self._compute(image.before, known)
        for number, value in known.items():
            if number not in executable.states:
                self._write(number, value)
        result = self._run(image.run)
        made   = self._compute(image.after, {
            number: self.read(number) for number in read} | known)
        for number in {step.to for step in image.after} & {*executable.states}:
            self._write(number, made[number])
        return tuple((made[number] if number in made else self.read(number)).data
                     for number in executable.outputs), result

    def read(self, number):
        """The value ``number`` as it lies in external memory."""
        place, blank = self.image.places[number], self._values[number]
        block = self.content[place.offset:place.offset + place.bytes]
        return replace(blank, data=place.decode(block, blank.data))

    def reset_states(self):
        """Write the initial states into external memory."""
        for number, first in self.image.executable.states.items():
            self._write(number, first)

    def _write(self, number, value):
        """Write a value into external memory."""
        place = self.image.places[number]
        block = place.encode(value.data.reshape(self._values[number].shape))
        self.content[place.offset:place.offset + block.size] = block

    def _run(self, commands):
        result = self._device.run_list(self.content, commands.offset)
        result.check()
        return result

    def _compute(self, steps, values):
        """Values after host steps."""
        values = dict(values)
        for step in steps:
            operands = [values[number] for number in step.values]
            if step.kernel == COPY:
                blank = self._values[step.to]
                values[step.to] = replace(blank, data=operands[0].data.reshape(blank.shape))
            else:
                with translate_refusals(self.image.executable.name, ValueError, OverflowError):
                    values[step.to] = golden.run(step.kernel, *operands).output
        return values

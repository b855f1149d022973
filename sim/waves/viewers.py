# SPDX-License-Identifier: Apache-2.0
"""Files that open waveforms with their main signals: a GTKWave save file, a Surfer state."""

from .plan import GUIDE

__all__ = ["gtkwave_save", "surfer_state", "write_views"]

_CORE = "core"
#: Signals to show, by group; absent signals are left out. A path begins below the guide or the
#: core.
_SHOWN = {
    "program":    [f"{GUIDE}/{name}" for name in ("clk", "state", "layer", "pass", "opcode",
                                                  "step", "stall")],
    "host port":  ["request__valid", "request__ready", "response__valid", "response__ready", "irq"],
    "steps":      ["step/kind", "step/op", "step/x", "step/y", "step/first", "step/last"],
    "write-back": ["writeback/written", "writeback/written_slot", "writeback/done"],
    "engine":     ["engine/now", "engine/later", "engine/access"],
}
_TEXTS = {"state", "layer", "pass", "opcode", "step", "stall"}


def _groups(root, guide):
    """Pairs (group name, signals); a signal is (scopes, name, width), width 0 for a text."""
    for group, paths in _SHOWN.items():
        signals = []
        for path in paths:
            *scopes, name = path.split("/")
            if scopes == [GUIDE]:
                if name in guide:
                    signals.append(((GUIDE,), name, 0 if name in _TEXTS else 1))
            elif (node := root.at(path)) is not None and node.code is not None:
                signals.append(((_CORE, *scopes), name, 0 if node.values else node.width))
        if signals:
            yield group, signals


def write_views(waves, root, guide):
    """Write the files named by a Waves for GTKWave and Surfer."""
    shown = waves.shown or waves.path
    if waves.save is not None:
        waves.save.write_text(gtkwave_save(shown, root, guide), encoding="utf-8")
    if waves.state is not None:
        waves.state.write_text(surfer_state(shown, root, guide), encoding="utf-8")


def gtkwave_save(waves, root, guide):
    """A GTKWave save file's text for the file ``waves``.

    ``root`` is the core's Node, ``guide`` the names in the guide.
    """
    lines = ["[*] Main signals of a core of xymac, for GTKWave", f'[dumpfile] "{waves}"']
    for group, signals in _groups(root, guide):
        lines += ["@200", f"-{group}"]
        for scopes, name, width in signals:
            bits   = f"[{width - 1}:0]" if width > 1 else ""
            lines += ["@820" if width == 0 else "@28" if width == 1 else "@22",
                      ".".join((*scopes, name)) + bits]
    return "\n".join(lines) + "\n"


def surfer_state(waves, root, guide):
    """A Surfer state file's text for the file ``waves``; arguments as in ``gtkwave_save``."""
    tree, items = [], []
    for group, signals in _groups(root, guide):
        items.append(f"Divider((color: None, background_color: None, name: Some({_text(group)})))")
        items += [_variable(scopes, name, width) for scopes, name, width in signals]
    tree = "".join(f"(item_ref: ({place}), level: 0, unfolded: true, selected: false),\n"
                   for place in range(1, len(items) + 1))
    displayed = "".join(f"({place}): {item},\n" for place, item in enumerate(items, 1))
    kind = "Fst" if str(waves).endswith("fst") else "Vcd"
    data = _WAVES.format(source=_text(waves), kind=kind, tree=tree, items=displayed,
                         count=len(items) + 1)
    return f"({_NONES}\nwaves: Some({data}),\n{_REST})\n"


def _text(value):
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _variable(scopes, name, width):
    path    = ", ".join(map(_text, scopes))
    display = "None" if width < 2 else 'Some("Hexadecimal")'
    return (f"Variable((variable_ref: (path: (strs: [{path}], id: Wellen((1))), "
            f"name: {_text(name)}, id: Wellen((1)), index: None), color: None, "
            f"background_color: None, display_name: {_text(name)}, display_name_type: Unique, "
            f"manual_name: None, format: {display}, field_formats: [], "
            f"height_scaling_factor: None, analog: None))")


_WAVES = """(
source: File({source}), format: {kind}, active_scope: None,
items_tree: (items: [
{tree}]),
displayed_items: {{
{items}}},
display_item_ref_counter: {count},
viewports: [(curr_left: (0.0), curr_right: (1.0), target_left: (0.0), target_right: (1.0),
move_start_left: (0.0), move_start_right: (1.0), move_duration: None, move_strategy: Instant)],
cursor: None, markers: {{}}, annotations: [], annotation_groups: [], annotation_counter: 0,
annotation_list_visible: false, last_active_viewport_idx: 0, focused_item: None,
focused_transaction: (None, None), default_variable_name_type: Unique, scroll_offset: 0.0,
display_variable_indices: true, graphics: {{}})"""
#: Settings of Surfer that a state leaves to the user's configuration.
_NONES = "\n".join(f"{name}: None," for name in (
    "show_hierarchy", "show_menu", "show_ticks", "show_toolbar", "show_tooltip",
    "show_scope_tooltip", "show_default_timeline", "show_overview", "show_statusbar",
    "align_names_right", "show_variable_indices", "show_variable_direction", "show_empty_scopes",
    "show_hierarchy_icons", "show_parameters_in_scopes"))
_REST = """drag_started: false, drag_source_idx: None, drag_target_idx: None, previous_waves: None,
count: None, blacklisted_translators: [], show_about: false, show_keys: false,
show_gestures: false, show_quick_start: false, show_license: false, show_performance: false,
show_logs: false, show_cursor_window: false, wanted_timeunit: NanoSeconds,
time_string_format: None, show_url_entry: false, variable_name_filter_focused: false,
variable_filter: (name_filter_type: Contain, name_filter_str: "",
name_filter_case_insensitive: true, include_inputs: true, include_outputs: true,
include_inouts: true, include_others: true, group_by_direction: false),
sidepanel_width: None, ui_zoom_factor: None, show_annotation_list: false,
"""

"""How a page looks: one style sheet, for light and dark, for narrow and wide, for paper."""

from __future__ import annotations

#: (light, dark) of each colour; a test computes that text is readable on every ground it stands on (WCAG AA).
COLOURS: dict[str, tuple[str, str]] = {
    "ground": ("#ffffff", "#14171a"),
    "raised": ("#f3f5f7", "#1e2327"),
    "line": ("#c9d1d9", "#3b444c"),
    "text": ("#1b1f23", "#e6e9ec"),
    "quiet": ("#56606a", "#a3adb8"),
    "good": ("#0f6b34", "#63d08c"),
    "bad": ("#b3171d", "#ff8f8a"),
    "warn": ("#7a4d00", "#f0c05a"),
    "accent": ("#0b5cad", "#7db8f5"),
}

_LAYOUT = """\
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.6rem;margin:.2rem 0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
p{margin:.4rem 0}
a{color:var(--accent)}
.kind,.quiet,caption,footer{color:var(--quiet)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.good,.bad,.warn{font-weight:600}
.outcome{font-size:1.15rem}
code,pre,.code{font-family:ui-monospace,monospace;font-size:.875rem;font-weight:400}
pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.75rem;margin:.2rem 0 1rem}
pre{overflow:auto;max-height:30rem;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.2rem 0 1rem;font-size:.9375rem}
caption{text-align:left;padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line)}
th,td{overflow-wrap:anywhere}
thead th{color:var(--quiet);font-weight:600;white-space:nowrap}
.bars td,.bars th{white-space:nowrap}
.bars td:last-child{width:70%}
tbody th{font-weight:500}
dl{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.25rem 1rem;margin:.4rem 0 1rem}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
svg{width:100%;min-width:10rem;height:1rem;background:var(--raised);border-radius:3px}
rect{fill:var(--accent)}
footer{padding:2.5rem 1.25rem;font-size:.875rem}
.skip{position:absolute;left:-100rem}
.skip:focus{left:1rem;top:1rem;background:var(--ground);padding:.5rem}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
@media(max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}
@media print{pre{max-height:none}nav{display:none}}
"""


def style_sheet() -> str:
    def variables(which: int) -> str:
        return (
            ":root{color-scheme:light dark;"
            + "".join(f"--{name}:{pair[which]};" for name, pair in COLOURS.items())
            + "}"
        )

    return f"{variables(0)}\n@media(prefers-color-scheme:dark){{{variables(1)}}}\n{_LAYOUT}"

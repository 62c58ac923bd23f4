// Do several spectra show the same peak? Sealed results of SPECTRA come in as inputs.upstream.
// RUN_INPUT on standard input, the output document on standard output; affidavit adds the hashes.
"use strict";

const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const peaks = given.inputs.upstream.map((result) => result.document.outputs.peak.frequency_hz);
const spread = Math.max(...peaks) - Math.min(...peaks);

process.stdout.write(
  JSON.stringify({
    run_id: given.run_id,
    engine: { engine_code: "FUSE", engine_version: "1.0.0" },
    outputs: {
      agree: spread <= given.parameters.tolerance_hz,
      mean_hz: peaks.reduce((sum, peak) => sum + peak, 0) / peaks.length,
      spread_hz: spread,
    },
    metrics: { sources: peaks.length },
    semantics: "CORRELATION_ONLY",
  }),
);

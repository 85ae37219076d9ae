// Reads a recording with h5wasm and compares it, bit for bit, with the table that carom made of it.
// read_recording.mjs RUN.h5 RUN.csv

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const h5wasm = await import("h5wasm/node").then((module) => module.default, () => {
  console.log("skipped: h5wasm is not installed (npm ci in tests/trace/h5wasm)");
  process.exit(77);
});
await h5wasm.ready;

const [heading, ...lines] = readFileSync(process.argv[3], "utf8").trimEnd().split("\n").map((line) => line.split(","));
const run = new h5wasm.File(process.argv[2], "r");
assert.equal(run.attrs["format"].value, "carom-run");
assert.ok(!run.keys().includes("certificate"), "the run was killed: it has no end");

const names = run.get("coordinates/name").value;
const columns = { time_s: run.get("time_s").value, residual: run.get("residual").value };
const q = run.get("q").value, u = run.get("u").value;
names.forEach((name, i) => {
  columns[name] = q.filter((_, k) => k % names.length === i);
  columns[name + "'"] = u.filter((_, k) => k % names.length === i);
});
assert.equal(Number(run.get("checkpoint").attrs["next_frame"].value), lines.length);

for (const [name, values] of Object.entries(columns)) {
  const column = heading.indexOf(name);
  assert.ok(column >= 0, name);
  assert.equal(values.length, lines.length, name);
  values.forEach((value, k) => assert.equal(Number(lines[k][column]), value, name));
}
run.close();
console.log(`h5wasm: ${lines.length} frames, ${Object.keys(columns).length} columns, the same numbers`);

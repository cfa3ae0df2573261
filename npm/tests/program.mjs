/** The native program, whose output is what the package must write. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the finished package. */
export const DIST = new URL("../dist/", import.meta.url);

const PROGRAM = process.env.MAJUSCULE;
// Where it finds the networks.
process.env.MAJUSCULE_MODELS ??= fileURLToPath(new URL("../../lm/networks", import.meta.url));
if (!PROGRAM) throw new Error("MAJUSCULE is not set: name the program majuscule, with the models of all languages");

/** Runs the program; returns its output. */
export function native(args, input) {
  const { status, stdout, stderr, error } = spawnSync(PROGRAM, args, { input, maxBuffer: 1 << 28 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${PROGRAM} ${args.join(" ")} ends with ${status}: ${stderr}`);
  return stdout;
}

/** Returns what the program says of arguments or input that it refuses. */
export function complaint(args, input) {
  const { status, stderr } = spawnSync(PROGRAM, args, { input });
  if (status === 0) throw new Error(`${PROGRAM} ${args.join(" ")} does not refuse that`);
  return String(stderr).trim().replace(/^majuscule: /, "");
}

/** The tables of `tests/cases.toml`, by the parser of Python. */
export function cases() {
  const path = new URL("../../tests/cases.toml", import.meta.url).pathname;
  const script = "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))))";
  const { stdout, stderr, status } = spawnSync("python3", ["-c", script, path], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`python3 3.11 with tomllib reads the cases: ${stderr}`);
  return JSON.parse(stdout);
}

/** Reads an example of the repository. */
export const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url));

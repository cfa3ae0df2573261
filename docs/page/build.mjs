/**
 * Builds the page without a server: `node docs/page/build.mjs [FOLDER]`. The folder, `docs/page/dist` by default, then has
 * static files, which any web server can serve, also below a path. `npm/build.sh` must have built the package.
 */

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ?? here("dist");
const [page, npm] = [here("../../crates/service/page"), here("../../npm/dist")];

/** What the page may do. Only files of its own server are ever asked for. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'";

if (!existsSync(`${npm}/models.js`)) throw new Error(`${npm} is not there: run npm/build.sh first`);
if (existsSync(out) && !existsSync(`${out}/offline.js`) && readdirSync(out).length) {
  throw new Error(`${out} is there already, and is no page: name a new folder`);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/majuscule`, { recursive: true });
cpSync(page, out, { recursive: true });
for (const name of ["engine.js", "restorer.js", "offline.js"]) cpSync(here(name), `${out}/${name}`);
// Files of all formats may be dropped, so the core for text and subtitles is of no use.
const UNUSED = ["majuscule.text.wasm"];
const isUsed = (path) => !UNUSED.includes(basename(path));
const code = readdirSync(npm).filter((name) => /\.(js|wasm)$/.test(name) && isUsed(name));
for (const name of [...code, "models"]) cpSync(`${npm}/${name}`, `${out}/majuscule/${name}`, { recursive: true, filter: isUsed });

const html = readFileSync(`${page}/index.html`, "utf8");
const meta = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
const withPolicy = html.replace('<meta charset="utf-8">', `<meta charset="utf-8">\n${meta}\n<link rel="icon" href="data:,">`);
if (withPolicy === html) throw new Error("index.html has no place for the policy: it is expected after the charset");
writeFileSync(`${out}/index.html`, withPolicy);

const files = [...readdirSync(out).filter((name) => name !== "majuscule" && name !== "offline.js"), ...code.map((name) => `majuscule/${name}`)].sort();
const hash = createHash("sha256");
for (const name of [...files, "offline.js"]) hash.update(name).update(readFileSync(`${out}/${name}`));
const { MODELS } = await import(`${npm}/models.js`);
const list = {
  FILES: ["./", ...files.filter((name) => name !== "index.html")],
  MODELS: Object.values(MODELS).map(({ sha256 }) => sha256.slice(0, 16)),
  VERSION: hash.digest("hex").slice(0, 16),
};
const lines = Object.entries(list).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
writeFileSync(`${out}/offline.js`, `${lines.join("")}\n${readFileSync(here("offline.js"), "utf8")}`);

/** The files of the package: read from where the package is, and from nowhere else. */

import { MajusculeError, refuse } from "./core.js";

const CACHE = "majuscule"; // of the browser

/** Returns where the files of the package are: `base`, if it is of the same origin as the package or the page. */
export function placeOf(base) {
  const own = new URL(".", import.meta.url);
  if (base === undefined) return own;
  const page = globalThis.location?.href;
  const place = new URL(base, page ?? own);
  const origins = [own, ...(page ? [new URL(page)] : [])].map(originOf);
  if (!origins.includes(originOf(place))) {
    refuse(`base is ${place.href}: expected a folder of ${origins.join(" or ")}, since files are loaded only from the site of the package or of the page`);
  }
  if (!place.pathname.endsWith("/")) place.pathname += "/";
  return place;
}

/** All files of the machine are of one origin. */
const originOf = ({ protocol, host }) => `${protocol}//${host}`;

/** Compiles the core. */
export async function compiled(place, name) {
  const url = new URL(name, place);
  if (url.protocol === "file:") return WebAssembly.compile(await readLocal(url));
  const response = await fetched(url);
  // A server that does not know the type of the file cannot stream it.
  const canStream = response.headers.get("Content-Type") === "application/wasm" && WebAssembly.compileStreaming;
  return canStream ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Returns the bytes of a model, with this length and checksum; a browser keeps them. */
export async function modelBytes(place, name, expected) {
  const url = new URL(`models/${name}`, place);
  if (url.protocol === "file:") return checked(await readLocal(url), url, expected);
  // Each version of a model is kept by itself.
  url.search = expected.sha256.slice(0, 16);
  const cache = await globalThis.caches?.open(CACHE).catch(() => undefined);
  const kept = await cache?.match(url);
  if (kept) {
    try {
      return await checked(new Uint8Array(await kept.arrayBuffer()), url, expected);
    } catch {
      await cache.delete(url); // damaged: the server has it whole
    }
  }
  const bytes = await checked(new Uint8Array(await (await fetched(url)).arrayBuffer()), url, expected);
  // A full disk is no reason to fail.
  await cache?.put(url, new Response(bytes)).catch(() => undefined);
  return bytes;
}

async function readLocal(url) {
  const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (!files) refuse(`${url.href} is a file, which only Node 20.16, Deno or Bun can read: serve the folder of the package by HTTP`);
  try {
    return await files.readFile(url);
  } catch (error) {
    throw new MajusculeError("input", `cannot read ${url.href}: ${error.message}: install the package again`);
  }
}

async function fetched(url) {
  // A redirection could lead elsewhere.
  const response = await fetch(url, { redirect: "error" }).catch((error) => {
    throw new MajusculeError("input", `cannot get ${url.href}: ${error.message}`);
  });
  if (response.ok) return response;
  throw new MajusculeError("input", `cannot get ${url.href}: status ${response.status}, but a file of the package is expected there`);
}

async function checked(bytes, url, { length, sha256 }) {
  // A page that came over plain HTTP has no crypto: the core checks each part of the model by its own checksum.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", bytes);
  const found = digest ? Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("") : sha256;
  if (bytes.length === length && found === sha256) return bytes;
  const [what, was] = bytes.length === length ? [`checksum ${found}`, sha256] : [`${bytes.length} bytes`, length];
  throw new MajusculeError("model", `${url.href} has ${what}, but ${was} was expected: it is altered, or of another version of the package`);
}

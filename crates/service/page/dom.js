/** What the modules of the page need of the browser. */

export const at = (id) => document.getElementById(id);

/** Makes an element; its text only ever becomes a text node. */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Saves a file. */
export function save(blob, name) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Reads a file as text: UTF-8, or UTF-16 if its first bytes say so. The byte-order mark stays. */
export async function decoded(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const mark = bytes[0] * 256 + bytes[1];
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}

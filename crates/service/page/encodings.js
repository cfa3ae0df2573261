/** The encodings of files. */

/** Those that both browsers and the service read; the usual ones of the languages with models come first. */
export const ENCODINGS = (
  "utf-8 utf-16le utf-16be windows-1252 iso-8859-15 macintosh windows-1250 iso-8859-2 iso-8859-16 windows-1254 windows-1257 " +
  "iso-8859-13 iso-8859-4 iso-8859-10 iso-8859-3 iso-8859-14 windows-1251 koi8-r koi8-u iso-8859-5 ibm866 x-mac-cyrillic " +
  "windows-1253 iso-8859-7 windows-1255 iso-8859-8 windows-1256 iso-8859-6 windows-1258 windows-874"
).split(" ");

const HEAD = 4096; // bytes that tell UTF-16 and what is no text

/** Guesses the encoding of a file. What is no text counts as UTF-8: the engine says what it is. */
export function guess(bytes) {
  const mark = bytes[0] * 256 + bytes[1];
  if (mark === 0xfffe || mark === 0xfeff) return mark === 0xfffe ? "utf-16le" : "utf-16be";
  const [zeros, head] = [[0, 0], bytes.subarray(0, HEAD)];
  head.forEach((byte, at) => (zeros[at % 2] += byte === 0));
  // In UTF-16 one half of nearly each letter of these languages is zero.
  if (Math.max(...zeros) > head.length / 4 && !Math.min(...zeros)) return zeros[0] ? "utf-16be" : "utf-16le";
  if (head.some((byte) => byte < 7)) return "utf-8";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** Reads a file as text. The byte-order mark stays. */
export async function decoded(blob, encoding) {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(await blob.arrayBuffer());
}

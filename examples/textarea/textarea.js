/** A textarea whose words get their capitals as one types. Serve the folder of the package beside it, as `majuscule/`. */

import { load } from "./majuscule/majuscule.js";

const PAUSE = 300; // ms without a key

/** Writes the words of a textarea that come out otherwise anew; the caret stays where it is. */
function restore(area, m, options) {
  const { value, selectionEnd } = area;
  // From the last word on, so that the places of the others stay.
  for (const { start, end, written } of m.words(value, options).reverse()) {
    const isBeingTyped = end === selectionEnd && document.activeElement === area;
    if (value.slice(start, end) !== written && !isBeingTyped) area.setRangeText(written, start, end, "preserve");
  }
}

const m = await load("en", { preset: "fast" });
const [note, punctuate] = ["note", "punctuate"].map((id) => document.getElementById(id));
let timer = 0;
note.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => restore(note, m), PAUSE);
});
punctuate.addEventListener("click", () => restore(note, m, { marks: true }));
note.disabled = punctuate.disabled = false;

/** The small window of a word: other spellings of it, punctuation after it, and its probability. */

import { at, element } from "./dom.js";
import { describe } from "./view.js";

const MARKS = [["", "none"], [",", "comma"], [".", "full stop"], ["?", "question mark"]];

const capitalised = (text) => {
  const [first, ...rest] = text.toLowerCase();
  return first.toUpperCase() + rest.join("");
};

export class WordWindow {
  #choose;
  #word = null;
  #context = null;

  /** `choose(word, fix, isAlways)` gets what is chosen: `{ core }` or `{ mark }`; null is as the method chose. */
  constructor(choose) {
    this.#choose = choose;
    at("word-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#own(at("word-own").value.trim());
    });
    at("word").addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Opens the window at an element. `context` has `canFix`, false if only a spelling can change the word; `isOpening`, true
   * if the word opens a sentence; and `space`, what the language writes before a mark.
   */
  open(word, anchor, context) {
    [this.#word, this.#context] = [word, context];
    const facts = describe(word);
    const was = word.was === word.text ? [] : [`was ${word.was}`];
    at("word-name").textContent = [...was, ...facts].join(" · ") || "as in the text";
    at("word").setAttribute("aria-label", `Spelling of ${word.core}`);
    this.#showForms();
    this.#showMarks();
    at("word-own").value = "";
    at("word-error").textContent = "";
    // The capital of a sentence start says nothing about the word elsewhere.
    at("word-always").checked = !context.canFix || !context.isOpening;
    at("word-always").disabled = !context.canFix;
    at("word").showPopover();
    place(at("word"), anchor);
    at("word-forms").querySelector("[aria-pressed=true]").focus();
  }

  #showForms() {
    const word = this.#word;
    const core = word.fix?.core ?? word.core;
    const forms = new Map([[word.core, "restored"]]);
    const others = [
      [word.wasCore, "as typed"],
      [word.core.toLowerCase(), "lower case"],
      [capitalised(word.core), "capitalised"],
      [word.core.toUpperCase(), "all capitals"],
    ];
    const isCase = ([form]) => form.length === word.core.length && !forms.has(form);
    for (const other of others) if (isCase(other)) forms.set(...other);
    if (!forms.has(core)) forms.set(core, "fixed");
    const buttons = [...forms].map(([form, name]) => {
      const choose = () => this.#finish(form === word.core && word.fix && !("mark" in word.fix) ? null : { core: form });
      return button(form, name, form === core, choose);
    });
    at("word-forms").replaceChildren(...buttons);
  }

  #showMarks() {
    const { canFix, space } = this.#context;
    const word = this.#word;
    at("word-marks").hidden = !canFix || !word.takesMark;
    const mark = (word.fix?.mark ?? word.mark).trim();
    const known = MARKS.some(([form]) => form === mark) ? MARKS : [...MARKS, [mark, "restored"]];
    const buttons = known.map(([form, name]) => {
      const choose = () => this.#finish({ mark: space(form) + form });
      const made = form ? button(form, "", form === mark, choose) : button("", name, form === mark, choose);
      made.setAttribute("aria-label", name);
      made.title = name;
      return made;
    });
    at("word-marks").replaceChildren(...buttons);
  }

  #own(form) {
    const word = this.#word;
    if (form.toLowerCase() !== word.core.toLowerCase()) {
      const said = form ? `“${form}” is another word` : "The spelling is missing";
      at("word-error").textContent = `${said}: only capitals can differ from “${word.core}”.`;
      return;
    }
    this.#finish({ core: form });
  }

  #finish(fix) {
    const isAlways = at("word-always").checked;
    at("word").hidePopover();
    this.#choose(this.#word, fix, isAlways);
  }

  /** The arrow keys go from button to button. */
  #key(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || event.target.localName !== "button") return;
    event.preventDefault();
    const all = [...at("word").querySelectorAll("[aria-pressed]")].filter((found) => found.offsetParent);
    all[(all.indexOf(event.target) + step + all.length) % all.length].focus();
  }
}

function button(text, name, isPressed, click) {
  const made = element("button");
  made.type = "button";
  made.setAttribute("aria-pressed", String(isPressed));
  made.append(element("span", "", text));
  if (name) made.append(" ", element("small", "", name));
  made.addEventListener("click", click);
  return made;
}

/** Places a window below an element, or above it where there is no room. */
function place(window_, anchor) {
  const [box, own, edge] = [anchor.getBoundingClientRect(), window_.getBoundingClientRect(), 8];
  const left = Math.min(Math.max(box.left - 12, edge), innerWidth - own.width - edge);
  const below = box.bottom + 6;
  const top = below + own.height <= innerHeight - edge ? below : Math.max(box.top - own.height - 6, edge);
  window_.style.left = `${left}px`;
  window_.style.top = `${top}px`;
}

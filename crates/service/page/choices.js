/** The user's choices: spellings, kept in the browser, and fixes of single words, which can be undone. */

const PLACE = "majuscule.spellings";

/** The user's own spellings, one for each word or phrase in any case. */
export class MySpellings {
  #all = new Map();
  #changed;

  constructor(changed) {
    this.#changed = changed;
    this.#load();
    // Another tab has changed them.
    addEventListener("storage", ({ key }) => key === PLACE && (this.#load(), changed()));
  }

  get list() {
    return [...this.#all.values()];
  }

  /** The entries to give to `change` so that these spellings are added. */
  static entries(spellings) {
    return spellings.map((spelling) => [spelling.split("\t")[0].toLowerCase(), spelling]);
  }

  /** Sets entries, each a key with its spelling or null for none. Returns the entries that undo it. */
  change(entries) {
    const before = entries.map(([key]) => [key, this.#all.get(key) ?? null]).reverse();
    for (const [key, spelling] of entries) {
      if (spelling === null) this.#all.delete(key);
      else this.#all.set(key, spelling);
    }
    if (entries.length) {
      try {
        localStorage.setItem(PLACE, JSON.stringify(this.list));
      } catch {
        // A browser without storage keeps them until the page is left.
      }
      this.#changed();
    }
    return before;
  }

  #load() {
    try {
      const kept = JSON.parse(localStorage.getItem(PLACE) ?? "[]").filter((spelling) => typeof spelling === "string");
      this.#all = new Map(MySpellings.entries(kept));
    } catch {
      this.#all = new Map();
    }
  }
}

/** Reads a list with a spelling a line, as the program's `--words` does. */
export function spellingsOf(text) {
  const lines = text.split("\n").map((line) => line.replace(/^\ufeff/, "").trim());
  return lines.filter((line) => line && !line.startsWith("#"));
}

/** The fixes of a text, by the offsets of their words: `{ word, core, mark }`, with the steps that led to them. */
export class Fixes {
  #spellings;
  #now = new Map();
  #undo = [];
  #redo = [];

  constructor(spellings) {
    this.#spellings = spellings;
  }

  get canUndo() {
    return this.#undo.length > 0;
  }

  get size() {
    return this.#now.size;
  }

  /** Adds to the fix of a word, or removes it for null, and changes spellings. */
  step(word, fix, entries = []) {
    const next = new Map(this.#now);
    if (word && fix) next.set(word.key, { ...next.get(word.key), ...fix, word: word.wasCore.toLowerCase() });
    else if (word) next.delete(word.key);
    this.#undo.push(this.#swap({ fixes: next, entries }));
    this.#redo = [];
  }

  /** Undoes a step, or does it again. Returns true if there is one. */
  undo() {
    return this.#back(this.#undo, this.#redo);
  }

  redo() {
    return this.#back(this.#redo, this.#undo);
  }

  /** Gives the words of rows their fixes. */
  apply(rows) {
    for (const { pieces } of rows) {
      for (const word of pieces) {
        if (typeof word === "string") continue;
        const found = this.#now.size ? this.#now.get(word.key) : null;
        const { word: of, ...fix } = found ?? {};
        if (!word.takesMark) delete fix.mark;
        word.fix = found && of === word.wasCore.toLowerCase() ? fix : null;
      }
    }
  }

  /** Moves fixes along with an edit of the text. */
  follow(was, now) {
    const most = Math.min(was.length, now.length);
    let [start, end] = [0, 0];
    while (start < most && was[start] === now[start]) start++;
    while (end < most - start && was.at(-1 - end) === now.at(-1 - end)) end++;
    const moved = (fixes) => {
      const kept = [...fixes].filter(([at, { word }]) => at + word.length <= start || at >= was.length - end);
      return new Map(kept.map(([at, fix]) => [at < start ? at : at + now.length - was.length, fix]));
    };
    this.#now = moved(this.#now);
    for (const step of [...this.#undo, ...this.#redo]) step.fixes = moved(step.fixes);
  }

  #back(from, to) {
    const step = from.pop();
    if (step) to.push(this.#swap(step));
    return Boolean(step);
  }

  /** Takes a step and returns the one back. */
  #swap({ fixes, entries }) {
    const before = this.#now;
    this.#now = fixes;
    return { fixes: before, entries: this.#spellings.change(entries) };
  }
}

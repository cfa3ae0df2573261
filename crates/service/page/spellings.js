/** The list of the user's own spellings: shows, adds, removes, imports and exports them. */

import { MySpellings, spellingsOf } from "./choices.js";
import { at, element, save } from "./dom.js";

export class SpellingList {
  #spellings;
  #change;

  /** `change(entries)` changes spellings so that it can be undone. */
  constructor(spellings, change) {
    [this.#spellings, this.#change] = [spellings, change];
    at("open-spellings").addEventListener("click", () => at("spellings").showModal());
    at("close-spellings").addEventListener("click", () => at("spellings").close());
    at("spellings").addEventListener("click", ({ target }) => target === at("spellings") && at("spellings").close());
    at("spelling-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add(spellingsOf(at("spelling").value));
      at("spelling").value = "";
      at("spelling").focus();
    });
    at("import-spellings").addEventListener("click", () => at("spellings-file").click());
    at("spellings-file").addEventListener("change", async ({ target }) => {
      const [file] = target.files;
      if (file) this.#add(spellingsOf(await file.text()));
      target.value = "";
    });
    at("export-spellings").addEventListener("click", () => {
      save(new Blob([this.#spellings.list.join("\n") + "\n"], { type: "text/plain" }), "spellings.txt");
    });
  }

  /** Shows the spellings as they are now. */
  show() {
    const all = this.#spellings.list;
    at("spellings-count").textContent = all.length || "";
    at("export-spellings").disabled = !all.length;
    at("spelling-list").replaceChildren(...all.map((spelling) => this.#item(spelling)).reverse());
  }

  #add(spellings) {
    const wrong = spellings.find((spelling) => !/[\p{L}\p{N}]/u.test(spelling));
    at("spelling-error").textContent = wrong ? `“${wrong}” has no word to spell.` : "";
    if (!wrong && spellings.length) this.#change(MySpellings.entries(spellings));
  }

  #item(spelling) {
    const item = element("li");
    const remove = element("button", "", "Remove");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${spelling}`);
    remove.addEventListener("click", () => {
      const next = item.nextSibling ?? item.previousSibling;
      const place = [...item.parentNode.children].indexOf(next ?? item);
      this.#change(MySpellings.entries([spelling]).map(([key]) => [key, null]));
      const left = at("spelling-list").children;
      (left[Math.min(place, left.length - 1)]?.querySelector("button") ?? at("spelling")).focus();
    });
    item.append(element("span", "", spelling), remove);
    return item;
  }
}

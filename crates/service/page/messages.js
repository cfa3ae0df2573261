/** The messages of engines in the words of the page, which has menus where a program has options. */

/** Advice on an option; the name of the option is in backticks over HTTP. */
const OPTION = /(?:^|\(|\b(?:with|give|or|right|leave) )`?(lossy|model|field|format|lang|encoding)\b|^or give its number there/;
const MENUS = { lang: "choose another language", encoding: "choose another encoding" };

/** Words a message: advice on an option becomes advice on its menu, or is left out. */
export function worded(message) {
  const [said, ...advice] = message.split(/(?<=[:;]) |(?<=,) (?=or |name )/);
  const parts = [said];
  for (const part of advice) {
    const option = OPTION.exec(part);
    if (!option) parts.push(part);
    else if (MENUS[option[1]] && !parts.at(-1).endsWith(MENUS[option[1]])) {
      parts.push((parts.at(-1).endsWith(",") ? "or " : "") + MENUS[option[1]]);
    }
  }
  return parts.join(" ").replace(/[:;,]$/, "");
}

const OTHER = /^(.*), but is restored as .*: the built-in models are for /;

/**
 * Words the notes of an answer. A text in a language without a model stays as it was, which `kept` has, unless a language
 * is chosen.
 */
export function shownAnswer(answer, { lang }, kept) {
  const other = lang === "auto" && answer.notes.map((note) => OTHER.exec(note)).find(Boolean);
  if (!other) return { ...answer, notes: [...new Set(answer.notes.map(worded))] };
  return { ...answer, ...kept, language: null, notes: [`${other[1]}: there is no model for it, and it stays as it is`] };
}

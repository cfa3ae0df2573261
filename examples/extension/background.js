/** Restores the captions that `content.js` sends. One model serves all tabs; no text leaves the browser. */

import { LANGUAGES, load } from "./majuscule/majuscule.js";

chrome.runtime.onMessage.addListener(({ language, cues }, _, answer) => {
  restored(language, cues).then(answer, (error) => answer({ error: error.message }));
  return true; // the answer comes later
});

/** Restores the texts of cues together, as the subtitles that they are: a sentence goes on from cue to cue. */
async function restored(language, cues) {
  const tag = language.split("-")[0];
  const m = await load(LANGUAGES.includes(tag) ? tag : "en", { preset: "fast" });
  const blocks = cues.map(({ start, end, text }) => `${time(start)} --> ${time(end)}\n${text.replace(/\n\s*(?=\n)/g, "")}\n`);
  const { text } = m.restoreFile(["WEBVTT\n", ...blocks].join("\n"), "vtt", { marks: true });
  return { texts: text.split("\n\n").slice(1).map((block) => block.trimEnd().split("\n").slice(1).join("\n")) };
}

const time = (seconds) => new Date(Math.max(0, Math.min(seconds, 86399)) * 1000).toISOString().slice(11, 23);

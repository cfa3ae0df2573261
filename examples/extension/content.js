/** Watches the caption tracks of the page's videos, and writes their cues anew. */

const done = new WeakSet(); // cues that are restored, or on their way
const watched = new WeakSet(); // tracks

function watch(track) {
  if (watched.has(track) || !["captions", "subtitles"].includes(track.kind)) return;
  watched.add(track);
  // Captions may come one by one, as those of a live stream do.
  track.addEventListener("cuechange", () => restore(track));
  restore(track);
}

async function restore(track) {
  const cues = [...(track.cues ?? [])].filter((cue) => "text" in cue && !done.has(cue));
  if (!cues.length) return;
  cues.forEach((cue) => done.add(cue));
  const given = cues.map(({ startTime: start, endTime: end, text }) => ({ start, end, text }));
  const { texts, error } = await chrome.runtime.sendMessage({ language: track.language, cues: given });
  if (texts?.length !== cues.length) return console.warn("captions stay as they are:", error ?? "they are no cues of WebVTT");
  cues.forEach((cue, n) => (cue.text = texts[n]));
}

function look() {
  for (const video of document.querySelectorAll("video")) {
    [...video.textTracks].forEach(watch);
    video.textTracks.onaddtrack = ({ track }) => watch(track);
    // A file of captions is read when it is first shown.
    for (const element of video.querySelectorAll("track")) element.addEventListener("load", () => restore(element.track), { once: true });
  }
}

look();
new MutationObserver(look).observe(document, { childList: true, subtree: true });

/** A small service of live text for tests: each word settles once the next one has ended. */

const NAMES = new Set(["angela", "helen", "lisbon"]);

/** Answers the sockets of a page. Returns what came in, and `lose`, which cuts the connection. */
export async function fakeLive(page) {
  const log = { messages: [], sockets: 0, lose: () => socket?.close({ code: 1012 }) };
  let socket;
  await page.routeWebSocket(/\/v1\/live/, (route) => {
    socket = route;
    log.sockets++;
    const session = { seq: 0, open: "", isFirst: true };
    const send = (message) => route.send(JSON.stringify(message));
    send({ type: "Begin", version: "0", language: "en", model: "en.accurate" });
    route.onMessage((data) => {
      const message = JSON.parse(data);
      log.messages.push(message);
      if (message.type === "Text") session.open += message.text;
      const settled = message.type === "CloseStream" ? session.open : (/^[^]*?\S+\s+(?=\S+\s)/.exec(session.open)?.[0] ?? "");
      for (let rest = settled; rest; ) {
        const [word] = /^\s*\S+\s*/.exec(rest) ?? [rest];
        rest = rest.slice(word.length);
        send({ type: "Results", seq: ++session.seq, is_final: true, transcript: spell(word, session), words: [] });
      }
      session.open = session.open.slice(settled.length);
      if (message.type === "Text") send({ type: "Results", seq: session.seq, is_final: false, transcript: spell(session.open, { ...session }), words: [] });
      if (message.type !== "CloseStream") return;
      send({ type: "Termination", seq: session.seq, words: session.seq });
      route.close({ code: 1000 });
    });
  });
  return log;
}

function spell(text, session) {
  return text.replace(/\p{L}+/gu, (word) => {
    const isName = session.isFirst || NAMES.has(word);
    session.isFirst = false;
    return isName ? word[0].toUpperCase() + word.slice(1) : word;
  });
}

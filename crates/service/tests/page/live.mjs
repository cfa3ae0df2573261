/** A small service of live text for tests: each word settles once the next one has ended. */

const NAMES = new Set(["angela", "helen", "lisbon"]);

/** Answers the sockets of a page. Returns what came in, and `lose`, which cuts the connection. */
export async function fakeLive(page) {
  const log = { messages: [], addresses: [], lose: () => socket?.close({ code: 1011 }) };
  const sessions = new Map();
  let socket;
  await page.routeWebSocket(/\/v1\/live/, (route) => {
    socket = route;
    const address = new URL(route.url());
    log.addresses.push(address);
    const name = address.searchParams.get("session") ?? `s${sessions.size + 1}`;
    const isResumed = sessions.has(name);
    const session = sessions.get(name) ?? { received: 0, seq: 0, open: "", isFirst: true };
    sessions.set(name, session);
    const send = (message) => route.send(JSON.stringify(message));
    const resumed = isResumed ? { resumed: true, received: session.received } : {};
    send({ type: "Begin", session: name, version: "0", language: "en", model: "en.accurate", seq: session.seq, ...resumed });
    route.onMessage((data) => {
      const message = JSON.parse(data);
      log.messages.push(message);
      session.received++;
      if (message.type === "Text") session.open += message.text;
      const isEnd = message.type === "CloseStream" || message.type === "Finalize";
      const settled = isEnd ? session.open : (/^[^]*?\S+\s+(?=\S+\s)/.exec(session.open)?.[0] ?? "");
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

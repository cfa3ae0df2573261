/** The service worker of the page: its files are there without a network, once they have been there with one. */

/* global FILES, MODELS, VERSION: build.mjs writes them before this. */

const CACHE = `majuscule-page-${VERSION}`;
const KEPT = "majuscule"; // the models, which the package itself keeps

self.addEventListener("install", (event) => {
  const add = async () => (await caches.open(CACHE)).addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  event.waitUntil(add().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const renew = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("majuscule-page-") && name !== CACHE) await caches.delete(name);
    }
    const models = await caches.open(KEPT);
    for (const request of await models.keys()) {
      if (!MODELS.includes(new URL(request.url).search.slice(1))) await models.delete(request);
    }
    await self.clients.claim();
  };
  event.waitUntil(renew());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const find = async () => (await (await caches.open(CACHE)).match(event.request)) ?? fetch(event.request);
  event.respondWith(find());
});

/** Serves a folder of static files for a test, as any web server does. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".vtt": "text/vtt" };

/** Serves a folder at an address below a path; `headers` go with each file. */
export async function serve(folder, headers = {}) {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname)).replace(/^\/page/, "");
    const name = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const bytes = await readFile(join(folder, name));
      response.writeHead(200, { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream", ...headers }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/page/`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

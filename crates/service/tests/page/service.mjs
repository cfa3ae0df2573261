/** Starts the service for a test. */

import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { serve } from "./files.mjs";

export const isAddress = (given) => /^https?:/.test(given);

/** True for the page without a server, which is a folder. */
export const isFolder = (given) => !isAddress(given) && statSync(given).isDirectory();

/** Starts a program with the verb `serve`, serves a folder, or takes the address of a running service. */
export async function start(given, ...options) {
  if (!given) throw new Error("node page.mjs SERVICE [PICTURES]: name the program, or the address of a service");
  if (isFolder(given)) return serve(given);
  if (isAddress(given)) return { address: given.replace(/\/?$/, "/"), stop() {} };
  const child = spawn(given, ["serve", "--listen", "127.0.0.1:0", ...options], { stdio: ["ignore", "inherit", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the service ends with ${code}: ${said}`)));
  });
  return { address, stop: () => child.kill("SIGTERM") };
}

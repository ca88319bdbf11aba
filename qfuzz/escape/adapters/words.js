"use strict";
// Words in, escaped words out, each ended by NUL. Shared by the adapters of packages from npm.

const { createRequire } = require("module");
const path = require("path");

// A project's own package comes first, as Node.js finds it from the working directory; then the folder that is named.
exports.load = (name, folder) => {
  for (const base of [process.cwd(), folder]) {
    try {
      return createRequire(path.join(base, "_"))(name);
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(`there is no package ${name} here or in ${folder}; npm install ${name}`);
};

exports.serve = (escape) => {
  let rest = Buffer.alloc(0);
  process.stdin.on("data", (chunk) => {
    const data = Buffer.concat([rest, chunk]);
    const end = data.lastIndexOf(0);
    rest = data.subarray(end + 1);
    if (end < 0) return;
    const words = data.subarray(0, end).toString("utf8").split("\0");
    process.stdout.write(words.map((word) => `${escape(word)}\0`).join(""));
  });
};

// One line for people, instead of a page.
process.on("uncaughtException", (error) => {
  process.stderr.write(`${String(error).split("\n")[0]}\n`);
  process.exit(1);
});

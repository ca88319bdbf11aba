"use strict";
// https://www.npmjs.com/package/shescape: quote() for one argument, with the protection against options that it has or not.

const { load, serve } = require("./words.js");
const [name, folder, flagProtection] = process.argv.slice(2);
const { Shescape } = load(name, folder);
const shescape = new Shescape({ shell: "/bin/bash", flagProtection: flagProtection !== "off" });
serve((word) => shescape.quote(word));

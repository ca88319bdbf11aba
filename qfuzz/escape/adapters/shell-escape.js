"use strict";
// https://www.npmjs.com/package/shell-escape: the function takes a list of arguments.

const { load, serve } = require("./words.js");
const [name, folder] = process.argv.slice(2);
const escape = load(name, folder);
serve((word) => escape([word]));

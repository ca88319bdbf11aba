"use strict";
// https://www.npmjs.com/package/shell-quote: quote(args) makes one command line of a list of arguments.

const { load, serve } = require("./words.js");
const [name, folder] = process.argv.slice(2);
const { quote } = load(name, folder);
serve((word) => quote([word]));

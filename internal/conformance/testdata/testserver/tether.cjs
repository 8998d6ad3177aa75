// Preload (node -r) that ties the server to the test that started it: it says
// on standard output which port it got, and ends when its standard input
// closes, so that a test which is killed leaves no server behind.
"use strict";
const net = require("net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log("listening on port " + this.address().port));
  return listen.apply(this, args);
};
process.stdin.resume().on("close", () => process.exit());

// Preload (node -r) that ties the server to the test that started it. The server prints its port on
// standard output, and exits when its standard input closes, so that it does not outlive a test
// that was killed.
"use strict";
const net = require("net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log("listening on port " + this.address().port));
  return listen.apply(this, args);
};
process.stdin.resume().on("close", () => process.exit());

// Plays the first legal move. Run with: node first.js
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const words = line.split(" ");
  if (words[0] === "mextrain-bot") console.log("ready name first-js");
  else if (words[0] === "decide") console.log("play " + words[words.indexOf("legal") + 1]);
  else if (words[0] === "quit") process.exit(0);
});

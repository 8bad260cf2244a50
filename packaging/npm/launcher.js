#!/usr/bin/env node
// Runs the native program of this platform's package, which npm chose by its "os" and "cpu". Nothing is downloaded and
// nothing runs at installation. Hooks never come this way: `yatsu-hook install` writes the native path into them.
"use strict";

const { spawnSync } = require("node:child_process");

const name = `yatsu-hook-${process.platform}-${process.arch}`;
const end = process.platform === "win32" ? ".exe" : "";

function program() {
  try {
    return require.resolve(`${name}/bin/yatsu-hook${end}`);
  } catch {
    process.stderr.write(
      `yatsu-hook: the package ${name} is not installed. Install without --omit=optional; where there is no such ` +
        "package, build the program with cargo.\n",
    );
    process.exit(3);
  }
}

const result = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  process.stderr.write(`yatsu-hook: cannot run the program of ${name}: ${result.error.message}\n`);
  process.exit(3);
}
if (result.signal) {
  process.kill(process.pid, result.signal);
}
process.exit(result.status ?? 3);

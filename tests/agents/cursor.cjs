// Runs Cursor's own hook engine, which lies within its SDK, on the hooks of a project: no agent, no model, no network.
// usage: node cursor.cjs SDK PROJECT STEPS; STEPS is a JSON list of [event, payload]. Prints what the engine makes of the
// answers, one JSON value a line (null: nothing).
//
// The SDK exports no way to the engine, so two of its files are loaded with one line more each. A version in which the engine
// looks different stops here.
"use strict";
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [sdk, project, steps] = process.argv.slice(2);
const ADDED = {
  "index.js": ["module.exports=o})();", "globalThis.load=i;module.exports=o})();"],
  "342.js": ["function Dx(e={}){", "globalThis.hooks=()=>Dx;function Dx(e={}){"],
};

const plain = Module._extensions[".js"];
Module._extensions[".js"] = (module, file) => {
  const added = path.dirname(file) === path.join(sdk, "dist/cjs") && ADDED[path.basename(file)];
  if (!added) return plain(module, file);
  const [before, after, ...more] = fs.readFileSync(file, "utf8").split(added[0]);
  if (after === undefined || more.length) throw new Error(`${file} is not the file that this script knows`);
  module._compile(before + added[1] + after, file);
};
// Its parsers of shell commands want a newer node than the engine, which does not use them.
Module._extensions[".node"] = (module) => {
  module.exports = new Proxy(function () {}, { get: (self) => self, construct: () => ({}) });
};

(async () => {
  require(path.join(sdk, "dist/cjs/index.js"));
  await Promise.all([load.e(360), load.e(342)]);
  load("./src/agent/local-executor.ts");
  const workspaceState = { projectRoot: project, workingDirectory: project, workspaceRoots: [project] };
  const runtime = await hooks()({}).createHooksRuntime({ workspaceState });
  if (runtime.hooksConfig.errors.length) throw new Error(JSON.stringify(runtime.hooksConfig.errors));
  const { hookExecutor } = runtime.createSessionRuntime();
  for (const [event, payload] of JSON.parse(steps)) {
    console.log(JSON.stringify((await hookExecutor.executeHookForStep(event, payload)) ?? null));
  }
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});

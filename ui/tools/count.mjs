// A reporter for vitest: says how many tests passed in the words of CI, and lets no test be skipped.
export default class Count {
  onTestRunEnd(modules) {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const passed = states.filter((state) => state === "passed").length;
    const failed = states.filter((state) => state === "failed").length;
    const skipped = states.length - passed - failed;
    console.log(`${passed} passed, ${failed + skipped} failed${skipped > 0 ? ` (${skipped} of them skipped)` : ""}`);
    if (skipped > 0) process.exitCode = 1;
  }
}

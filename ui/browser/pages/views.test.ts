import { expect, inject } from "vitest";
import { expectParam, journeys } from "../journey";

const { projects, traces } = inject("world");
const journey = journeys();

for (const [key, view] of [["3", "transcript"], ["4", "graph"], ["5", "log"]] as const) {
  journey(`the ${view} of a trace is one key away`, {
    start: `/project/${projects.large}/traces/${traces["every-kind"]}`,
    act: async ({ page }) => {
      await page.getByRole("tree", { name: "Observations" }).focus();
      await page.keyboard.press(key);
      await expectParam(page, "view", view);
    },
    kept: async (page) => {
      const chosen = await page.getByRole("radio", { name: new RegExp(view, "i") }).isChecked();
      expect(chosen).toBe(true);
      return page.locator("#main").innerText();
    },
  });
}

journey("a long trace has an aggregated graph", {
  start: `/project/${projects.large}/traces/${traces["long-run-10k"]}?view=graph`,
  act: async ({ page }) => expectParam(page, "view", "graph"),
  kept: (page) => page.getByRole("radio", { name: /graph/i }).isChecked(),
});

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inject, test } from "vitest";
import { sharedBrowser } from "./journey";
import { sizes, themes, visit } from "./page";
import { components, routes } from "./routes";

const folder = fileURLToPath(new URL("../shots/", import.meta.url));
const shared = sharedBrowser(["--hide-scrollbars"]);

test.each([...routes(inject("world")), components(inject("world"))])("$name", async ({ name, data, stranger, url }) => {
  await mkdir(folder, { recursive: true });
  const { page, settled, close } = await visit(shared.browser, { stranger, url });
  await page.goto(data);
  await settled();
  for (const [width, size] of Object.entries(sizes)) {
    for (const theme of themes) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await settled();
      await page.screenshot({ path: `${folder}${name.replaceAll(/[^a-z]+/g, "-")}-${width}-${theme}.png`, animations: "disabled", caret: "hide" });
    }
  }
  await close();
});

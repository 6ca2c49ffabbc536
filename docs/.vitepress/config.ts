import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "vitepress";
import { forTheSite } from "./links";

const docs = resolve(import.meta.dirname, "..");

/** The pages of a folder by file name, each under its first heading. */
function pagesOf(folder: string, title = (heading: string, _file: string) => heading) {
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith(".md") && file !== "README.md" && file !== "index.md")
    .map((file) => {
      const heading = /^# (.+)$/m.exec(readFileSync(join(docs, folder, file), "utf8"))?.[1] ?? file;
      return { text: title(heading, file), link: `/${folder}/${file.replace(/\.md$/, "")}` };
    });
}

const byTitle = (a: { text: string }, b: { text: string }) => a.text.localeCompare(b.text);

export default defineConfig({
  title: "Sonde",
  description: "Traces, scores and experiments of LLM applications, in one binary that is also the cluster",
  base: process.env.DOCS_BASE ?? "/",
  cleanUrls: true,
  // A link to a page or a file that is not there ends the build.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  rewrites: { ":folder/README.md": ":folder/index.md" },
  srcExclude: ["node_modules/**"],
  markdown: { html: false, config: forTheSite },
  head: [["link", { rel: "icon", href: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='6' fill='%230d9488'/></svg>" }]],
  themeConfig: {
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Quick start", link: "/quickstart" },
      { text: "SDKs", link: "/sdks/" },
      { text: "Operate", link: "/operate/" },
      { text: "Reference", link: "/reference/" },
      { text: "GitHub", link: "https://github.com/sondehq/sonde" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "Quick start", link: "/quickstart" },
          { text: "Concepts", link: "/concepts" },
          { text: "Migrate from Langfuse", link: "/operate/migrate-from-langfuse" },
        ],
      },
      { text: "SDKs and frameworks", link: "/sdks/", collapsed: true, items: [...pagesOf("sdks").sort(byTitle), { text: "Compatibility", link: "/compat" }] },
      { text: "Operate", link: "/operate/", collapsed: true, items: pagesOf("operate").sort(byTitle) },
      {
        text: "Reference",
        link: "/reference/",
        collapsed: true,
        items: [
          { text: "Commands", link: "/reference/cli" },
          { text: "Configuration", link: "/reference/configuration" },
          { text: "Metrics", link: "/reference/metrics" },
          { text: "API", link: "/reference/api/", collapsed: true, items: pagesOf("reference/api").sort(byTitle) },
          { text: "Formats", collapsed: true, items: pagesOf("formats") },
          { text: "Measurements", collapsed: true, items: pagesOf("perf") },
          { text: "Glossary", link: "/GLOSSARY" },
        ],
      },
      { text: "Decisions", link: "/adr/", collapsed: true, items: pagesOf("adr") },
    ],
  },
});

import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type MarkdownIt from "markdown-it";

const docs = resolve(import.meta.dirname, "..");
const repository = "https://github.com/sondehq/sonde/blob/main/";

/** What a link of a page becomes on the site: README.md is an index there, and files outside of docs are in the repository. */
export function siteLink(href: string, page: string): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path, anchor] = href.split(/(?=#)/);
  const target = resolve(dirname(join(docs, page)), path!);
  const below = relative(docs, target);
  if (below.startsWith("..")) {
    if (!existsSync(target)) throw new Error(`${page}: there is no ${path}`);
    return repository + relative(dirname(docs), target) + (anchor ?? "");
  }
  return href.replace(/README\.md/, "index.md");
}

/** Pages are written for readers of the repository, too; this is what differs on the site. */
export function forTheSite(md: MarkdownIt): void {
  md.core.ruler.before("normalize", "comments", (state) => {
    state.src = state.src.replace(/<!--[\s\S]*?-->\n?/g, "");
  });
  md.core.ruler.push("links", (state) => {
    for (const token of state.tokens.flatMap((token) => [token, ...(token.children ?? [])])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href !== null) token.attrSet("href", siteLink(href, state.env.relativePath ?? state.env.path));
    }
  });
  // Two braces are the templates of prompts here, never those of the site.
  const text = md.renderer.rules.text!;
  md.renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;");
}

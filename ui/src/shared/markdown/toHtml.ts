import DOMPurify from "dompurify";
import { marked } from "marked";

/** Above this a text is shown as it is: reading it as Markdown would stop the page. */
export const longestText = 150_000;
const deepestNesting = 100;

/** Whether a text is short and flat enough. One pass, because the texts it is for are long. */
export function isMarkdownSafe(text: string): boolean {
  if (text.length > longestText) return false;
  let brackets = 0;
  let lead = 0;
  let inLead = true;
  for (const character of text) {
    if (character === "\n") {
      lead = 0;
      inLead = true;
      brackets = 0;
      continue;
    }
    if (inLead && (character === ">" || character === " " || character === "\t" || character === "-" || character === "*")) {
      if (++lead > 2 * deepestNesting) return false;
      continue;
    }
    inLead = false;
    if ((character === "[" || character === "(" || character === "*" || character === "_") && ++brackets > 20 * deepestNesting) return false;
  }
  return true;
}

const tags = ["p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "a", "table", "thead", "tbody", "tr", "th", "td", "input"];

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

const renderer = {
  // HTML in a text is text: whoever wrote the trace does not write our page.
  html: ({ text }: { text: string }) => escaped(text),
  // An image is asked for only by somebody who wants it: showing it would tell another server who reads.
  image: ({ href, text }: { href: string; text: string }) => `<a href="${escaped(href)}">${escaped(text === "" ? href : text)}</a>`,
};

marked.use({ renderer, gfm: true, breaks: true });

/** Turns Markdown into HTML that can do nothing but be read and, for links, be followed. */
export function toHtml(text: string): string {
  const clean = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "title", "start", "align", "type", "checked", "disabled"],
    ADD_URI_SAFE_ATTR: ["start", "align", "type", "checked", "disabled"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of clean.querySelectorAll("a")) {
    if (!link.hasAttribute("href")) continue;
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  for (const input of clean.querySelectorAll("input")) {
    if (input.type !== "checkbox") input.remove();
    else input.setAttribute("aria-label", input.checked ? "done" : "open");
  }
  for (const scrolled of clean.querySelectorAll("pre, table")) scrolled.setAttribute("tabindex", "0");
  const box = document.createElement("div");
  box.append(clean);
  return box.innerHTML;
}

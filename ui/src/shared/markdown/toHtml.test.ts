// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { isMarkdownSafe, longestText, toHtml } from "./toHtml";

const corpus = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<iframe src=javascript:alert(1)></iframe>",
  "<a href=javascript:alert(1)>x</a>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](vbscript:msgbox(1))",
  "![x](https://evil.example/pixel.png)",
  '![x](https://evil.example/"onerror="alert(1))',
  "<form action=https://evil.example><input name=q></form>",
  "<style>body{display:none}</style>",
  "<base href=https://evil.example>",
  "<meta http-equiv=refresh content=0;url=https://evil.example>",
  '<p style="position:fixed;inset:0">x</p>',
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
  "`<script>alert(1)</script>`",
  "```html\n<script>alert(1)</script>\n```",
  "[x]: javascript:alert(1)\n\n[x]",
  "<object data=x><embed src=x>",
  "<details open ontoggle=alert(1)>",
  "\u0000<scr\u0000ipt>alert(1)</script>",
];

describe("hostile texts", () => {
  it.each(corpus)("%s", (text) => {
    const box = document.createElement("div");
    box.innerHTML = toHtml(text);
    expect(box.querySelector("script,img,svg,iframe,form,style,base,meta,object,embed,link,math,video,audio,input:not([type=checkbox])")).toBeNull();
    for (const element of box.querySelectorAll("*")) {
      for (const attribute of element.attributes) {
        expect(attribute.name).not.toMatch(/^on|^style$|^src/);
        if (attribute.name === "href") expect(attribute.value).toMatch(/^(https?:|mailto:)/i);
      }
    }
  });
});

describe("Markdown", () => {
  it("is rendered", () => {
    const html = toHtml("# Title\n\n**bold** `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done");
    for (const part of ["<h1>", "<strong>", "<code>", "<td>", 'type="checkbox"']) expect(html).toContain(part);
  });

  it("opens links elsewhere and gives nothing away", () => {
    expect(toHtml("[x](https://a.example)")).toContain('rel="noopener noreferrer nofollow"');
    expect(toHtml("[x](https://a.example)")).toContain('target="_blank"');
  });

  it("shows HTML as text", () => {
    const box = document.createElement("div");
    box.innerHTML = toHtml("a <b>bold</b> word");
    expect(box.textContent).toContain("<b>bold</b>");
  });
});

describe("what is shown as it is", () => {
  it.each<[string, string, boolean]>([
    ["ordinary", "# a\n\n- b\n  - c\n", true],
    ["long", "x".repeat(longestText + 1), false],
    ["quotes in quotes", `${">".repeat(5_000)} x`, false],
    ["lists in lists", Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n"), false],
    ["brackets", "[".repeat(5_000), false],
    ["stars", "*a ".repeat(3_000), false],
  ])("%s", (_, text, want) => expect(isMarkdownSafe(text)).toBe(want));
});

import { inject, test } from "vitest";
import { sendSpans } from "./api";
import { sharedBrowser } from "./journey";
import { visit } from "./page";
import { openKeys, routes } from "./routes";

const world = inject("world");
const shared = sharedBrowser();

/** Answers that say no on purpose, which a browser notes on its console: a trace that is not there, a stranger. */
const refusals = /Failed to load resource: the server responded with a status of (401|404)/;

test.concurrent.for(routes(world))("$name breaks no rule of its policy", async ({ data, stranger, dialog = openKeys }, { expect }) => {
  const { page, faults, settled, close } = await visit(shared.browser, { stranger });
  const answer = await page.goto(data);
  expect(answer?.headers()["content-security-policy"]).toContain("default-src 'self'");
  await settled();
  if (dialog !== null) await dialog(page); // layers bring styles of their own
  await settled();
  expect(faults.filter((fault) => !refusals.test(fault))).toEqual([]);
  await close();
});

// Each would say where it ran; "far.example" is nobody, and a request to it a fault of its own.
const corpus: Record<string, string> = {
  script: "<script>alert('script')</script>",
  image: "<img src=x onerror=alert('image')>",
  "remote image": "![a picture](https://far.example/a.png) <img src='https://far.example/b.png'>",
  svg: "<svg onload=alert('svg')><animate onbegin=alert('svg') attributeName=x dur=1s></svg>",
  "script link": "[press](javascript:alert('link')) <a href='jav&#x09;ascript:alert(1)'>press</a> <a href=\"data:text/html,<script>alert(1)</script>\">press</a>",
  frame: "<iframe src='https://far.example/' srcdoc='<script>alert(1)</script>'></iframe><object data='https://far.example/'></object><embed src='https://far.example/'>",
  form: "<form action='https://far.example/'><button>press</button></form><input autofocus onfocus=alert('form')>",
  style: "<style>@import 'https://far.example/a.css'; * { background: url(https://far.example/c.png) }</style><link rel=stylesheet href='https://far.example/d.css'>",
  math: "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
  refresh: "<meta http-equiv=refresh content='0;url=https://far.example/'><base href='https://far.example/'>",
  fence: "```html\n<script>alert('fence')</script>\n```\n~~~\n</code><script>alert(1)</script>\n~~~",
  reference: "[press][1]\n\n[1]: javascript:alert('reference)\n\n![x][2]\n\n[2]: https://far.example/e.png",
  autolink: "<javascript:alert(1)> <https://far.example/\"onmouseover=alert(1)>",
  template: "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= alert(1) %>",
};

test("what somebody sends is shown and never run", async ({ expect }) => {
  const traceId = "c5".repeat(16);
  const start = Date.parse("2026-05-01T11:00:00Z");
  const spans = Object.entries(corpus).map(([name, text], index) => ({
    traceId, spanId: (0xc500 + index).toString(16).padStart(16, "0"), name: `${name} ${text}`, start: start + index, end: start + index + 1000,
    attributes: {
      "langfuse.observation.type": "generation",
      "langfuse.observation.input": JSON.stringify([{ role: "user", content: text }, { role: `<b onclick=alert(1)>${name}</b>`, content: [{ type: "image_url", image_url: { url: "https://far.example/f.png" } }] }]),
      "langfuse.observation.output": text,
      "langfuse.observation.metadata.note": text,
      "langfuse.trace.name": `<img src=x onerror=alert('name')>`, "session.id": `<script>alert(1)</script>`, "user.id": `"><img src=x onerror=alert(1)>`,
    },
  }));
  await sendSpans(world.url, spans);
  const { page, faults, settled, close } = await visit(shared.browser);
  for (const { spanId } of spans) {
    await page.goto(`/project/${world.projects.large}/traces/${traceId}?observation=${spanId}`);
    await settled();
    for (const format of await page.getByRole("complementary", { name: "Details" }).getByRole("radio").all()) {
      await format.check({ force: true });
      await settled();
    }
    await page.getByRole("tab", { name: "Metadata" }).click();
    await settled();
  }
  await page.goto(`/project/${world.projects.large}/observations?q=${encodeURIComponent(`traceId:=${traceId}`)}`);
  await settled();
  expect(await page.locator("main :is(script, iframe, object, embed, form[action*=far], img[src^=http], link, base, meta)").count()).toBe(0);
  expect(await page.locator("main a[href^='javascript' i], main a[href^='data:' i]").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

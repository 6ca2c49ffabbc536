import { type ReactNode, useMemo } from "react";
import "./markdown.css";
import { isMarkdownSafe, toHtml } from "./toHtml";

/** Loaded only when a text has something to render. */
export default function Rendered({ text, plain }: { text: string; plain: ReactNode }) {
  const html = useMemo(() => (isMarkdownSafe(text) ? { __html: toHtml(text) } : null), [text]);
  // toHtml lets nothing through that could act.
  return html === null ? plain : <div className="markdown" dangerouslySetInnerHTML={html} />;
}

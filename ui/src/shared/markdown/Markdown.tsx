import { lazy, Suspense } from "react";

const Rendered = lazy(() => import("./Rendered"));

/** A text that may be Markdown. While the renderer loads, and where it must not run, the text as it is. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="text-sm break-words whitespace-pre-wrap">{text}</p>;
  // Most texts have no mark in them; they need no renderer.
  if (!/[*_`#[\]<>|~]|^\s*(\d+\.|[-+])\s|https?:/m.test(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <Rendered text={text} plain={plain} />
    </Suspense>
  );
}

import { cx } from "@/shared/lib/classes";
import { formatCount } from "@/shared/lib/format";
import type { ScoreAgreement } from "../api";

const words: Record<string, string> = { True: "Yes", False: "No" };

/** How often which values meet: a row per value of the first score, a column per value of the second. */
export function Matrix({ matrix: { a: rows, b: columns, counts }, a, b }: { matrix: ScoreAgreement["matrix"]; a: string; b: string }) {
  const largest = Math.max(...counts.flat(), 1);
  const square = rows.length === columns.length && rows.every((label, index) => label === columns[index]);
  const label = (text: string) => words[text] ?? (text || "(empty)");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section aria-label="How often which values meet" tabIndex={0} className="max-h-120 overflow-auto">
      <table className="text-xs tabular-nums">
        <caption className="pb-2 text-left text-text-2">Rows: {a}. Columns: {b}.{square ? " Framed cells agree." : ""}</caption>
        <thead>
          <tr>
            <td><span className="sr-only">Values</span></td>
            {columns.map((text) => <th key={text} scope="col" className="max-w-28 truncate px-2 pb-1 text-right font-medium text-text-2" title={label(text)}>{label(text)}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((text, i) => (
            <tr key={text}>
              <th scope="row" className="max-w-40 truncate py-1 pr-2 text-left font-medium text-text-2" title={label(text)}>{label(text)}</th>
              {columns.map((column, j) => {
                const count = counts[i]?.[j] ?? 0;
                return (
                  <td key={column} className={cx("relative h-8 min-w-14 border border-line px-2 text-right", square && i === j && "outline-2 -outline-offset-2 outline-line-strong")}>
                    <span aria-hidden className="absolute inset-0 bg-accent" style={{ opacity: (count / largest) * 0.35 }} />
                    <span className={cx("relative", count === 0 && "text-text-3")}>{formatCount(count)}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The rows of a long list that are in memory: a stretch that moves with what is looked at. */
export interface Rows<Row> {
  /** The place of the first row that is in memory; those before were there and were let go. */
  first: number;
  list: readonly Row[];
  /** There are rows behind the last one. */
  more: boolean;
}

export function rowAt<Row>(rows: Rows<Row>, index: number): Row | undefined {
  return rows.list[index - rows.first];
}

/** How many places the list has, as far as is known. */
export function placesOf<Row>({ first, list }: Rows<Row>): number {
  return first + list.length;
}

/** Where a key moves the current row, or undefined when it does not. */
export function moveBy(key: string, current: number, count: number, page: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const clamp = (index: number) => Math.min(Math.max(index, 0), last);
  switch (key) {
    case "ArrowDown":
    case "j":
      return clamp(current + 1);
    case "ArrowUp":
    case "k":
      return clamp(current < 0 ? 0 : current - 1);
    case "PageDown":
      return clamp(current + page);
    case "PageUp":
      return clamp(current - page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

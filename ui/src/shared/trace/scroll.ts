/** Browsers stop counting at some height: 33 million pixels, or half of that. A longer list gets a shorter scroll range, and
 * each pixel of it stands for more than one. */
const tallest = 15_000_000;

export interface ScrollRange {
  /** Of the element that makes the scroll bar. */
  height: number;
  /** How many pixels of rows one pixel of scrolling is; 1 for all but the longest lists. */
  scale: number;
}

export function scrollRange(count: number, rowHeight: number, viewport: number): ScrollRange {
  const full = count * rowHeight;
  if (full <= tallest) return { height: full, scale: 1 };
  return { height: tallest, scale: (full - viewport) / (tallest - viewport) };
}

/** Positions of the rows to mount: those in view, and some around them. */
export function mountedRange(offset: number, viewport: number, rowHeight: number, count: number, around: number): { first: number; end: number } {
  const first = Math.max(0, Math.floor(offset / rowHeight) - around);
  const end = Math.min(count, Math.ceil((offset + viewport) / rowHeight) + around);
  return { first: Math.min(first, Math.max(0, end - 1)), end };
}

/** The offset that brings a row into view with the least movement; the same one when it is there already. */
export function offsetShowing(position: number, offset: number, viewport: number, rowHeight: number): number {
  const top = position * rowHeight;
  if (top < offset) return top;
  return top + rowHeight > offset + viewport ? top + rowHeight - viewport : offset;
}

/** A row with the line, from 1, that it begins in. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** What makes a text no CSV, and where. */
export class CsvError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(`Line ${line}: ${message}`);
    this.name = "CsvError";
  }
}

/** A quote that is never closed would take all of the file for one field. */
const longestField = 5_000_000;

/** Reads CSV as RFC 4180 has it, piece by piece: a row is given out as soon as it is complete. Lines may end in any way, empty ones
 * are passed over, and a quote inside of a field that does not begin with one is just a quote. */
export class CsvReader {
  private field = "";
  private cells: string[] = [];
  private state: "start" | "plain" | "quoted" | "closed" = "start";
  private afterReturn = false;
  private line = 1;
  private rowLine = 1;
  private begun = false;

  constructor(private readonly separator = ",") {}

  push(text: string): CsvRow[] {
    const rows: CsvRow[] = [];
    let at = 0;
    if (!this.begun && text.length > 0) {
      this.begun = true;
      if (text.startsWith("\uFEFF")) at = 1;
    }
    while (at < text.length) at = this.state === "quoted" ? this.readQuoted(text, at) : this.readPlain(text, at, rows);
    return rows;
  }

  /** The last row, if the text does not end with a line. */
  end(): CsvRow[] {
    if (this.state === "quoted") throw new CsvError(this.rowLine, "a quote is opened and never closed");
    const rows: CsvRow[] = [];
    if (this.state !== "start" || this.cells.length > 0) this.endRow(rows);
    return rows;
  }

  private readQuoted(text: string, from: number): number {
    const close = text.indexOf('"', from);
    const end = close < 0 ? text.length : close;
    const piece = text.slice(from, end);
    this.line += linesIn(piece, this.field);
    this.take(piece);
    if (close >= 0) this.state = "closed";
    return end + 1;
  }

  private readPlain(text: string, from: number, rows: CsvRow[]): number {
    const sign = text[from]!;
    if (sign === "\n" && this.afterReturn) {
      this.afterReturn = false;
      return from + 1;
    }
    this.afterReturn = false;
    if (sign === this.separator) this.endField();
    else if (sign === "\n" || sign === "\r") {
      this.endRow(rows);
      this.line++;
      this.rowLine = this.line;
      this.afterReturn = sign === "\r";
    } else if (sign === '"' && this.state === "start") this.state = "quoted";
    else if (this.state === "closed") {
      if (sign !== '"') throw new CsvError(this.line, "text follows a closing quote; a quote inside of a field is written twice");
      this.field += '"';
      this.state = "quoted";
    } else return this.readField(text, from);
    return from + 1;
  }

  private readField(text: string, from: number): number {
    let end = from;
    while (end < text.length && text[end] !== this.separator && text[end] !== "\n" && text[end] !== "\r") end++;
    this.take(text.slice(from, end));
    this.state = "plain";
    return end;
  }

  private take(piece: string): void {
    if (this.field.length + piece.length > longestField) throw new CsvError(this.rowLine, "a field is longer than an item may be; is a quote missing?");
    this.field += piece;
  }

  private endField(): void {
    this.cells.push(this.field);
    this.field = "";
    this.state = "start";
  }

  private endRow(rows: CsvRow[]): void {
    const isEmpty = this.state === "start" && this.cells.length === 0;
    this.endField();
    if (!isEmpty) rows.push({ line: this.rowLine, cells: this.cells });
    this.cells = [];
  }
}

/** Line ends in a piece of a field; one of two signs may have begun in the piece before. */
function linesIn(piece: string, before: string): number {
  const joined = piece.startsWith("\n") && before.endsWith("\r") ? piece.slice(1) : piece;
  return joined.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** A line of CSV, its end included. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

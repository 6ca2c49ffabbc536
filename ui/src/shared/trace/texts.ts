const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Many short texts in one buffer. A million ids as strings of their own would be a million objects for the collector. */
export class Texts {
  length = 0;
  private bytes: Uint8Array;
  private ends: Uint32Array;
  private slots = new Int32Array(0); // open addressing: row + 1, 0 where free
  private indexed = 0;

  constructor(expected: number, averageBytes: number) {
    this.bytes = new Uint8Array(Math.max(64, expected * averageBytes));
    this.ends = new Uint32Array(Math.max(16, expected));
  }

  push(text: string): void {
    const start = this.length === 0 ? 0 : this.ends[this.length - 1]!;
    if (this.length === this.ends.length) this.ends = grown(this.ends, new Uint32Array(this.ends.length * 2));
    const room = start + text.length * 3; // UTF-8 needs at most 3 bytes per UTF-16 unit
    if (room > this.bytes.length) this.bytes = grown(this.bytes, new Uint8Array(Math.max(room, this.bytes.length * 2)));
    const written = text === "" ? 0 : encoder.encodeInto(text, this.bytes.subarray(start, room)).written;
    this.ends[this.length++] = start + written;
  }

  at(row: number): string {
    const start = row === 0 ? 0 : this.ends[row - 1]!;
    const end = this.ends[row]!;
    return start === end ? "" : decoder.decode(this.bytes.subarray(start, end));
  }

  isEmpty(row: number): boolean {
    return this.ends[row] === (row === 0 ? 0 : this.ends[row - 1]);
  }

  /** The first row with this text, or -1. The index it needs is built by the first call and follows what is added. */
  find(text: string): number {
    const wanted = encoder.encode(text);
    return this.findBytes(wanted, 0, wanted.length);
  }

  /** The first row with the text that a row of another list has, or -1. */
  findSame(other: Texts, row: number): number {
    return this.findBytes(other.bytes, row === 0 ? 0 : other.ends[row - 1]!, other.ends[row]!);
  }

  private findBytes(bytes: Uint8Array, start: number, end: number): number {
    this.index();
    const mask = this.slots.length - 1;
    for (let slot = hash(bytes, start, end) & mask; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = this.slots[slot]! - 1;
      if (this.equals(row, bytes, start, end)) return row;
    }
    return -1;
  }

  private index(): void {
    if (this.slots.length < this.length * 2 || this.slots.length === 0) {
      this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(8, this.length * 2))));
      this.indexed = 0;
    }
    const mask = this.slots.length - 1;
    for (; this.indexed < this.length; this.indexed++) {
      const start = this.indexed === 0 ? 0 : this.ends[this.indexed - 1]!;
      const end = this.ends[this.indexed]!;
      let slot = hash(this.bytes, start, end) & mask;
      while (this.slots[slot] !== 0 && !this.equals(this.slots[slot]! - 1, this.bytes, start, end)) slot = (slot + 1) & mask;
      if (this.slots[slot] === 0) this.slots[slot] = this.indexed + 1;
    }
  }

  private equals(row: number, other: Uint8Array, otherStart: number, otherEnd: number): boolean {
    const start = row === 0 ? 0 : this.ends[row - 1]!;
    if (this.ends[row]! - start !== otherEnd - otherStart) return false;
    for (let i = otherStart; i < otherEnd; i++) if (this.bytes[start + i - otherStart] !== other[i]) return false;
    return true;
  }
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5; // FNV-1a
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i]!, 0x01000193);
  return value ^ (value >>> 15);
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

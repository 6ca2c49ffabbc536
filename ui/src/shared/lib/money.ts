import { none } from "./format";

export interface Decimal {
  negative: boolean;
  digits: bigint; // value = digits / 10^scale
  scale: number;
}

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/** Reads a decimal text, digit by digit. Null: it is none. */
export function parseDecimal(text: string): Decimal | null {
  const match = pattern.exec(text.trim());
  if (match === null) return null;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return null;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction) * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
  return { negative: sign === "-", digits, scale: Math.max(scale, 0) };
}

/** The digits with that many places behind the point, rounded half up. */
function round({ digits, scale }: Decimal, places: number): bigint {
  if (scale <= places) return digits * 10n ** BigInt(places - scale);
  const unit = 10n ** BigInt(scale - places);
  return (digits + unit / 2n) / unit;
}

const smallest = 6;

/** How many places a price needs: cents from a dollar up, two telling figures below a cent. */
function placesOf(value: Decimal): number {
  if (value.digits === 0n || round(value, 2) >= 100n) return 2;
  if (round(value, 4) >= 100n) return 4;
  for (let places = 4; places < smallest; places++) if (round(value, places) >= 10n) return places;
  return smallest;
}

/** Dollars from a decimal, digit by digit: "$27.63", "$0.0110", "$0.00042", "<$0.000001". A float of JSON is taken
 * by the digits it is written with. */
export function formatMoney(amount: string | number | null | undefined): string {
  if (amount === null || amount === undefined) return none;
  const value = parseDecimal(String(amount));
  if (value === null) return none;
  const sign = value.negative && value.digits > 0n ? "−" : "";
  const places = placesOf(value);
  const rounded = round(value, places);
  if (rounded === 0n && value.digits > 0n) return `${sign}<$0.${"1".padStart(smallest, "0")}`;
  const text = rounded.toString().padStart(places + 1, "0");
  const whole = text.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign}$${whole}.${text.slice(-places)}`;
}

/** The exact sum of decimals. What is no number counts as nothing. */
export function addMoney(amounts: Iterable<string | number | null | undefined>): string {
  let sum = 0n;
  let scale = 0;
  for (const amount of amounts) {
    const value = amount === null || amount === undefined ? null : parseDecimal(String(amount));
    if (value === null) continue;
    if (value.scale > scale) {
      sum *= 10n ** BigInt(value.scale - scale);
      scale = value.scale;
    }
    const digits = value.digits * 10n ** BigInt(scale - value.scale);
    sum += value.negative ? -digits : digits;
  }
  const text = (sum < 0n ? -sum : sum).toString().padStart(scale + 1, "0");
  const sign = sum < 0n ? "-" : "";
  return sign + (scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`);
}

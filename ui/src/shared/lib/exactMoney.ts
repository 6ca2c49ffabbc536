import { none } from "./format";
import { type Decimal, parseDecimal } from "./money";

/** A decimal times a power of ten, as plain text without an exponent: ("4e-7", 6) is "0.4". Null: it is no number. */
export function shiftDecimal(amount: string | number, power: number): string | null {
  const value = parseDecimal(String(amount));
  return value === null ? null : plain(shifted(value, power));
}

function shifted({ negative, digits, scale }: Decimal, power: number): Decimal {
  const places = scale - power;
  return { negative, digits: places < 0 ? digits * 10n ** BigInt(-places) : digits, scale: Math.max(places, 0) };
}

function plain({ negative, digits, scale }: Decimal): string {
  const text = digits.toString().padStart(scale + 1, "0");
  const fraction = scale === 0 ? "" : text.slice(-scale).replace(/0+$/, "");
  const whole = scale === 0 ? text : text.slice(0, -scale);
  return (negative && digits > 0n ? "-" : "") + whole + (fraction === "" ? "" : `.${fraction}`);
}

/** Dollars with every digit that there is, cents at least: "$2.50", "$0.075", "$1,000.00". For prices, which are not rounded. */
export function exactMoney(amount: string | number | null | undefined, power = 0): string {
  const text = amount === null || amount === undefined ? null : shiftDecimal(amount, power);
  if (text === null) return none;
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  return `${text.startsWith("-") ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${fraction.padEnd(2, "0")}`;
}

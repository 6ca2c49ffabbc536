import type { Model } from "./definition";

/** What the browser's expressions lack, or have and RE2 refuses: such a pattern only the server can try. */
const foreign = /\\[pPQEC1-9]|\[\[:|\(\?[a-zA-Z-]+\)|\(\?[^:)]*U|\(\?<?[=!]/;

/** A pattern in RE2 syntax as an expression of the browser. Null when it cannot be said in its syntax, or is wrong. */
export function toRegExp(pattern: string): RegExp | null {
  const [head = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const rest = pattern.slice(head.length);
  if (foreign.test(rest)) return null;
  try {
    return new RegExp(rest.replaceAll("(?P<", "(?<").replaceAll("\\A", "^").replaceAll("\\z", "$"), [...new Set(flags)].join(""));
  } catch {
    return null;
  }
}

const expressions = new WeakMap<Model, RegExp | null>();

/** Hundreds of patterns are tried for each name: each is read once. */
function expressionOf(model: Model): RegExp | null {
  let expression = expressions.get(model);
  if (expression === undefined) expressions.set(model, (expression = toRegExp(model.matchPattern)));
  return expression;
}

export interface Match {
  model: Model | undefined;
  /** Definitions that would have a say, but whose pattern cannot be tried here. */
  untried: Model[];
}

/** Names above this length match nothing on the server. */
const maxName = 512;

/** The definition that prices a model: a project's own before the built-in ones, of those the one that started last. */
export function findModel(models: readonly Model[], name: string, at: number): Match {
  const untried: Model[] = [];
  if (name === "" || name.length > maxName) return { model: undefined, untried };
  const matching = models.filter((model) => {
    const expression = expressionOf(model);
    if (expression === null) untried.push(model);
    return expression?.test(name) && startOf(model) <= at;
  });
  const own = matching.filter(({ isLangfuseManaged }) => !isLangfuseManaged);
  const model = latest(own) ?? latest(matching);
  return { model, untried: untried.filter(({ isLangfuseManaged }) => !isLangfuseManaged || model?.isLangfuseManaged !== false) };
}

function startOf({ startDate }: Model): number {
  return startDate === null ? Number.NEGATIVE_INFINITY : Date.parse(startDate);
}

function latest(models: readonly Model[]): Model | undefined {
  return models.toSorted((a, b) => startOf(b) - startOf(a))[0];
}

/** A pattern that matches one name alone, whatever its case. */
export function patternFor(name: string): string {
  return `(?i)^${name.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)}$`;
}

/** Whether a search means a model: by a part of its name or pattern, or by a whole name that its pattern matches. */
export function isSearched(model: Model, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [model.modelName, model.matchPattern].some((part) => part.toLowerCase().includes(wanted)) || (expressionOf(model)?.test(text.trim()) ?? false);
}

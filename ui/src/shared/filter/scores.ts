import type { Catalog } from "./catalog";
import golden from "./testdata/scores.json";

/** The columns that scores can be filtered by. */
export const scoreColumns = golden as unknown as Catalog;

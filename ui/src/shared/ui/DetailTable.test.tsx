// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { cleanup, click, get, render } from "@/shared/test/render";
import { type DetailColumn, DetailTable } from "./DetailTable";

afterEach(cleanup);

const columns: DetailColumn<string>[] = [{ id: "name", header: "Name", lead: true, cell: (row) => row }, { id: "size", header: "Size", align: "end", cell: (row) => row.length }];
const details = (row: string) => `more of ${row}`;
const same = (row: string) => row;

const table = (rows: string[]) => <DetailTable label="Words" columns={columns} rows={rows} keyOf={same} nameOf={same} details={details} />;

describe("DetailTable", () => {
  it("opens and closes a row, and says so", async () => {
    render(table(["alpha", "beta"]));
    const button = get("button", "Details of beta");
    expect(button.getAttribute("aria-expanded")).toBe("false");
    await click(button);
    expect(button.getAttribute("aria-expanded")).toBe("true");
    expect(document.getElementById(button.getAttribute("aria-controls")!)?.textContent).toBe("more of beta");
    expect(document.body.textContent).not.toContain("more of alpha");
    await click(button);
    expect(document.body.textContent).not.toContain("more of beta");
  });

  it("is a table to those who do not see it", () => {
    render(table(["alpha"]));
    expect([...get("table", "Words").querySelectorAll("[role=columnheader]")].map(({ textContent }) => textContent)).toEqual(["Details", "Name", "Size"]);
  });
});

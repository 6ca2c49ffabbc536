// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { cleanup, get, render } from "@/shared/test/render";
import { ShortTable } from "./ShortTable";

afterEach(cleanup);

describe("ShortTable", () => {
  it("is a table whose rows are named by their first cell", () => {
    const columns = [{ header: "Name", cell: (row: string) => row }, { header: "Actions", headerHidden: true, cell: (row: string) => <button type="button">Open {row}</button> }];
    render(<ShortTable label="Fruits" columns={columns} rows={["Apple", "Pear"]} keyOf={(row) => row} />);
    expect([...get("table", "Fruits").querySelectorAll("[role=columnheader]")].map((head) => head.textContent)).toEqual(["Name", "Actions"]);
    expect([...document.querySelectorAll("[role=rowheader]")].map((head) => head.textContent)).toEqual(["Apple", "Pear"]);
    expect(get("button", "Open Pear").closest("[role=row]")?.textContent).toContain("Pear");
  });
});

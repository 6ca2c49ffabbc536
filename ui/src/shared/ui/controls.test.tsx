// @vitest-environment jsdom
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cleanup, click, get, press, render, type } from "@/shared/test/render";
import { Combobox } from "./Combobox";
import { MultiSelect } from "./MultiSelect";
import { NumberField } from "./NumberField";
import { SegmentedControl } from "./SegmentedControl";
import { Splitter } from "./Splitter";
import { TextField } from "./TextField";

afterEach(cleanup);

const fruits = ["Apple", "Banana", "Cherry"].map((label) => ({ value: label.toLowerCase(), label }));

function WithCombobox({ onChange }: { onChange: (value: string) => void }) {
  const [value, setValue] = useState<string>();
  return <Combobox label="Fruit" value={value} options={fruits} onChange={(next) => { setValue(next); onChange(next); }} />;
}

describe("Combobox", () => {
  it("finds by typing, marks by arrows, picks by Enter, and closes", async () => {
    const picked = vi.fn();
    render(<WithCombobox onChange={picked} />);
    await click(get("button"));
    const field = get("combobox") as HTMLInputElement;
    expect(field.getAttribute("aria-controls")).toBe(get("listbox").id);
    await type(field, "an");
    expect(get("listbox").children).toHaveLength(1);
    await type(field, "");
    field.focus();
    await press("ArrowUp"); // round to the last
    expect(field.getAttribute("aria-activedescendant")).toBe(get("option", "Cherry").id);
    await press("Enter");
    expect(picked).toHaveBeenCalledWith("cherry");
    expect(document.querySelector("[role=listbox]")).toBeNull();
    expect(get("button").textContent).toContain("Cherry");
  });
});

function WithMultiSelect() {
  const [values, setValues] = useState<string[]>([]);
  return <MultiSelect label="Fruits" values={values} options={fruits} onChange={setValues} />;
}

describe("MultiSelect", () => {
  it("stays open between picks and takes them back", async () => {
    render(<WithMultiSelect />);
    await click(get("button"));
    get("combobox").focus();
    await press("Enter");
    await press("ArrowDown");
    await press("Enter");
    expect([...document.querySelectorAll("[aria-selected=true]")].map((option) => option.textContent)).toEqual(["Apple", "Banana"]);
    await press("Enter");
    expect(document.querySelectorAll("[aria-selected=true]")).toHaveLength(1);
  });
});

describe("Splitter", () => {
  it("moves by arrows within its bounds", async () => {
    const change = vi.fn();
    render(<Splitter label="Details" value={200} min={100} max={300} onChange={change} />);
    get("separator").focus();
    await press("ArrowLeft");
    expect(change).toHaveBeenLastCalledWith(216);
    await press("ArrowRight", { shiftKey: true });
    expect(change).toHaveBeenLastCalledWith(104);
    await press("Home");
    expect(change).toHaveBeenLastCalledWith(100);
    await press("End");
    expect(change).toHaveBeenLastCalledWith(300);
    expect(get("separator").getAttribute("aria-valuenow")).toBe("200");
  });
});

describe("fields", () => {
  it("ties label, hint and error to the input", () => {
    const box = render(<TextField label="Email" value="" onChange={() => undefined} hint="Yours." error="Too short." />);
    const input = box.querySelector("input") as HTMLInputElement;
    expect(box.querySelector("label")?.htmlFor).toBe(input.id);
    const described = (input.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
    expect(described).toEqual(["Yours.", "Too short."]);
    expect(input.getAttribute("aria-invalid")).toBe("true");
  });
  it("keeps numbers out of range to itself", async () => {
    const change = vi.fn();
    const box = render(<NumberField label="Days" value={5} min={1} max={30} onChange={change} />);
    const input = box.querySelector("input") as HTMLInputElement;
    await type(input, "31");
    expect(change).not.toHaveBeenCalled();
    expect(box.textContent).toContain("from 1 to 30");
    await type(input, "30");
    expect(change).toHaveBeenLastCalledWith(30);
    await type(input, "");
    expect(change).toHaveBeenLastCalledWith(null);
  });
  it("makes segments one group of radio buttons", () => {
    const box = render(<SegmentedControl label="View" value="a" onChange={() => undefined} segments={[{ value: "a", label: "A" }, { value: "b", label: "B" }]} />);
    const names = new Set([...box.querySelectorAll("input[type=radio]")].map((radio) => (radio as HTMLInputElement).name));
    expect(names.size).toBe(1);
    expect(box.querySelector("legend")?.textContent).toBe("View");
  });
});

import type { Tree } from "./useTree";

type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** What a key does in the tree; "open" shows the details. Undefined: nothing, the page may have a use for it. */
export function treeKey(event: Key, tree: Tree, page: number): (() => void) | "open" | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.shiftKey && event.key !== "*") return undefined;
  switch (event.key) {
    case "ArrowDown":
    case "j":
      return () => tree.move(1);
    case "ArrowUp":
    case "k":
      return () => tree.move(-1);
    case "PageDown":
      return () => tree.move(page);
    case "PageUp":
      return () => tree.move(-page);
    case "Home":
      return () => tree.move(-tree.shown.length);
    case "End":
      return () => tree.move(tree.shown.length);
    case "ArrowRight":
      return tree.enter;
    case "ArrowLeft":
      return tree.leave;
    case "*":
      return () => tree.selected >= 0 && tree.toggleBelow(tree.selected);
    case "Enter":
    case " ":
      return "open";
    default:
      return undefined;
  }
}

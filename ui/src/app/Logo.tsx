import { Link } from "@tanstack/react-router";
import { Mark } from "@/shared/ui/Mark";

export function Logo() {
  return (
    <Link to="/" aria-label="Sonde, to the start" className="flex size-7 shrink-0 items-center justify-center rounded-md pointer-coarse:size-11">
      <Mark />
    </Link>
  );
}

import { useBlocker } from "@tanstack/react-router";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";

/** Asks before a page is left with something on it that is not saved. Rows that are tried and the like do not leave it. */
export function LeaveDialog({ changed }: { changed: () => boolean }) {
  const blocker = useBlocker({ shouldBlockFn: ({ current, next }) => changed() && (current.pathname !== next.pathname || shownBy(current) !== shownBy(next)), enableBeforeUnload: changed, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return <Dialog open onOpenChange={() => blocker.reset()} title="Leave without saving?" description="What you changed in this evaluator is not kept." footer={<><Button onClick={() => blocker.reset()}>Stay</Button><Button variant="danger" onClick={() => blocker.proceed()}>Leave</Button></>} />;
}

/** The part of an address whose change takes the editor away. */
function shownBy({ search }: { search: unknown }): string {
  const { version, diff } = search as { version?: string; diff?: string };
  return `${version} ${diff}`;
}

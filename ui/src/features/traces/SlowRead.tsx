import { useEffect, useState } from "react";
import { Button } from "@/shared/ui/Button";

const patienceMs = 2000;

/** Offers to end a read that takes long. It is mounted while something is being read. */
export function SlowRead({ onCancel }: { onCancel: () => void }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 bottom-4 z-20 flex justify-center">
      {slow && (
        <div className="pointer-events-auto flex items-center gap-3 rounded-lg border border-line bg-raised py-1 pr-1 pl-3 text-xs shadow-overlay">
          Still reading. A shorter time range is quicker.
          <Button onClick={onCancel}>Cancel</Button>
        </div>
      )}
    </div>
  );
}

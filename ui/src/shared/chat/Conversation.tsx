import { useState } from "react";
import { Button } from "@/shared/ui/Button";
import type { Message } from "./message";
import { MessageCard } from "./MessageCard";
import { threaded } from "./thread";

/** How many of the newest messages are shown when the history is long. */
const newest = 4;

/** A conversation as people read it: turns, with each call joined to what it gave. */
export function Conversation({ messages, foldCalls = false }: { messages: Message[]; foldCalls?: boolean }) {
  const [all, setAll] = useState(false);
  const turns = threaded(messages);
  const folded = all || turns.length <= newest + 3 ? 0 : turns.length - newest - 1;
  const shown = folded === 0 ? turns : [...turns.slice(0, 1), ...turns.slice(-newest)];
  return (
    <ol className="flex flex-col gap-2 p-2">
      {shown.map((turn, index) => (
        <li key={turn.place} className="flex flex-col gap-2">
          <MessageCard turn={turn} foldCalls={foldCalls} />
          {index === 0 && folded > 0 && (
            <Button variant="ghost" onClick={() => setAll(true)}>
              Show {folded} earlier messages
            </Button>
          )}
        </li>
      ))}
    </ol>
  );
}

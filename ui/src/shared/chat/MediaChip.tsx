import { File, Image } from "lucide-react";
import { useState } from "react";
import { formatBytes } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";

/** A picture or a file in a message. Nothing is loaded from elsewhere before somebody asks for it. */
export function MediaChip({ type, source }: { type: string; source: string }) {
  const [shown, setShown] = useState(false);
  const kind = /^data:([^;,]+)/.exec(source)?.[1] ?? type;
  const isImage = kind.startsWith("image");
  const isRemote = /^https?:/i.test(source);
  const address = isRemote || source.startsWith("data:") ? source : `data:${kind};base64,${source}`;
  const Icon = isImage ? Image : File;
  return (
    <figure className="flex flex-col items-start gap-2">
      <figcaption className="flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-xs text-text-2">
        <Icon size={14} aria-hidden className="shrink-0" />
        <span className="truncate">{isRemote ? source : `${kind === "" ? "file" : kind}, ${formatBytes(Math.round(source.length * 0.75))}`}</span>
        {isImage && !isRemote && <Button variant="ghost" onClick={() => setShown(!shown)}>{shown ? "Hide" : "Show"}</Button>}
        {isRemote && <a className="text-accent underline" href={source} target="_blank" rel="noopener noreferrer nofollow">Open</a>}
      </figcaption>
      {shown && <img src={address} alt="As it was sent" className="max-h-80 max-w-full rounded-md border border-line" />}
    </figure>
  );
}

import { File, Image } from "lucide-react";
import { use, useState } from "react";
import { basePath } from "@/shared/api/client";
import { ProjectContext } from "@/shared/api/project";
import { formatBytes } from "@/shared/lib/format";
import { Button } from "@/shared/ui/Button";
import { mediaSource, type MediaSource } from "./mediaSource";

/** A picture, a sound or a file in a message. Nothing is loaded before somebody asks for it. */
export function MediaChip({ type, source }: { type: string; source: string }) {
  const [shown, setShown] = useState(false);
  const project = use(ProjectContext);
  const media = mediaSource(type, source);
  const kind = media.type === "" ? "file" : media.type;
  const address = addressOf(media, project?.id);
  const playable = media.kind !== "remote" && /^(image|audio|video)/.test(kind);
  const Icon = kind.startsWith("image") ? Image : File;
  const link = { href: address, className: "text-accent underline", rel: "noopener noreferrer nofollow" };
  return (
    <figure className="flex flex-col items-start gap-2">
      <figcaption className="flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-xs text-text-2">
        <Icon size={14} aria-hidden className="shrink-0" />
        <span className="truncate">{media.kind === "remote" ? media.address : media.kind === "inline" ? `${kind}, ${formatBytes(media.size)}` : kind}</span>
        {address === undefined && <span className="text-text-3">not shared</span>}
        {address !== undefined && playable && <Button variant="ghost" onClick={() => setShown(!shown)}>{shown ? "Hide" : "Show"}</Button>}
        {media.kind === "remote" && <a {...link} target="_blank">Open</a>}
        {media.kind === "kept" && address !== undefined && <a {...link} download>Download</a>}
      </figcaption>
      {shown && address !== undefined && <Shown kind={kind} address={address} />}
    </figure>
  );
}

/** Undefined where nobody is signed in to a project: what it keeps is not for strangers. */
function addressOf(media: MediaSource, projectId: string | undefined): string | undefined {
  if (media.kind !== "kept") return media.address;
  return projectId === undefined ? undefined : `${basePath}/api/public/media/${encodeURIComponent(media.id)}/content?${new URLSearchParams({ project: projectId })}`;
}

function Shown({ kind, address }: { kind: string; address: string }) {
  /* oxlint-disable jsx-a11y/media-has-caption -- nobody sent captions along */
  if (kind.startsWith("audio")) return <audio controls src={address} className="max-w-full" />;
  if (kind.startsWith("video")) return <video controls src={address} className="max-h-80 max-w-full rounded-md border border-line" />;
  return <img src={address} alt="As it was sent" className="max-h-80 max-w-full rounded-md border border-line" />;
}

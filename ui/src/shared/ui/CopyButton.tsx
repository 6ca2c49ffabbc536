import { Check, Copy } from "lucide-react";
import { useCopy } from "@/shared/lib/copy";
import type { ButtonVariant } from "./Button";
import { IconButton } from "./IconButton";
import { LiveRegion } from "./LiveRegion";

export function CopyButton({ text, label = "Copy", variant, className }: { text: string; label?: string; variant?: ButtonVariant; className?: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={label} variant={variant} className={className} iconClassName={copied ? "text-ok" : undefined} onClick={() => copy(text)} />
      <LiveRegion>{copied ? "Copied" : ""}</LiveRegion>
    </>
  );
}

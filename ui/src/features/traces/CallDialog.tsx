import { asCurl, asPython, type Call } from "@/shared/filter/snippets";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { Dialog } from "@/shared/ui/Dialog";

/** The list as a call of the public API. */
export function CallDialog({ call, language, onClose }: { call: Call; language: "curl" | "Python"; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title={`This list by ${language}`} description="The same rows from the public API. Keys are read from SONDE_PUBLIC_KEY and SONDE_SECRET_KEY." size="wide">
      <CodeBlock code={language === "curl" ? asCurl(call) : asPython(call)} title={language} wrap />
    </Dialog>
  );
}

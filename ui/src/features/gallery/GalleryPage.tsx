import { useTitle } from "@/shared/lib/useTitle";
import { ThemeToggle } from "@/shared/ui/ThemeToggle";
import { CodeSection } from "./CodeSection";
import { ControlSection } from "./ControlSection";
import { DataSection } from "./DataSection";
import { FieldSection } from "./FieldSection";
import { LayerSection } from "./LayerSection";
import { StateSection } from "./StateSection";

/** Every component in every state, for those who build pages of them, and for tests. */
export function GalleryPage() {
  useTitle("Components");
  return (
    <main className="relative mx-auto flex h-full max-w-5xl flex-col gap-8 overflow-auto px-4 py-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Components</h1>
        <ThemeToggle labels />
      </header>
      <ControlSection />
      <FieldSection />
      <LayerSection />
      <StateSection />
      <DataSection />
      <CodeSection />
    </main>
  );
}

import { Cpu, Inbox, KeyRound, ListChecks, type LucideIcon, Plug, SlidersHorizontal, Users } from "lucide-react";
import { type ComponentType, lazy } from "react";

export interface SettingsPageEntry {
  /** The last part of the address. */
  slug: string;
  label: string;
  icon: LucideIcon;
  Page: ComponentType;
}

/** Every page of a project's settings, in the order of their navigation. The first is the one without a name in the address. */
export const settingsPages: readonly [SettingsPageEntry, ...SettingsPageEntry[]] = [
  { slug: "general", label: "General", icon: SlidersHorizontal, Page: lazy(async () => ({ default: (await import("./GeneralPage")).GeneralPage })) },
  { slug: "api-keys", label: "API keys", icon: KeyRound, Page: lazy(async () => ({ default: (await import("./ApiKeysPage")).ApiKeysPage })) },
  { slug: "members", label: "Members", icon: Users, Page: lazy(async () => ({ default: (await import("./MembersPage")).MembersPage })) },
  { slug: "models", label: "Models and prices", icon: Cpu, Page: lazy(async () => ({ default: (await import("./ModelsPage")).ModelsPage })) },
  { slug: "llm-connections", label: "LLM connections", icon: Plug, Page: lazy(async () => ({ default: (await import("./LlmConnectionsPage")).LlmConnectionsPage })) },
  { slug: "score-configs", label: "Score configs", icon: ListChecks, Page: lazy(async () => ({ default: (await import("./ScoreConfigsPage")).ScoreConfigsPage })) },
  { slug: "ingestion", label: "Ingestion", icon: Inbox, Page: lazy(async () => ({ default: (await import("./IngestionPage")).IngestionPage })) },
];

/** The page of an address; undefined when there is none of that name. */
export function settingsPage(slug: string | undefined): SettingsPageEntry | undefined {
  return slug === undefined ? settingsPages[0] : settingsPages.find((page) => page.slug === slug);
}

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Activity, FileText, FolderOpen, Keyboard, ListTree, type LucideIcon, LogOut, MessagesSquare, Moon, Sun, User } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { useProject } from "@/shared/api/project";
import type { Session } from "@/shared/api/session";
import { usePreference } from "@/shared/lib/preferences";
import { useTheme } from "@/shared/lib/theme";
import { foundPromptsQuery } from "@/shared/prompt/api";
import { overlayClass } from "@/shared/ui/Dialog";
import { Kbd } from "@/shared/ui/Kbd";
import { navItems } from "./navigation";
import { projectOptions } from "./ProjectSwitcher";
import type { Layer, ShellProps } from "./Shell";
import { useSignOut } from "./useSignOut";

export interface CommandPaletteProps {
  session: Session;
  project: ShellProps["project"];
  onClose: () => void;
  openLayer: (layer: Layer) => void;
}

/** Everything by its name: pages, prompts, projects, commands, and whatever an id leads to. */
export default function CommandPalette(props: CommandPaletteProps) {
  const { onClose, project } = props;
  const [text, setText] = useState("");
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content aria-describedby={undefined} className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-overlay">
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <Command label="Search and commands" loop>
            <Command.Input value={text} onValueChange={setText} placeholder="Find a page, prompt or project, or paste an id" className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-text-3" />
            {/* Not in the list, whose children are options. */}
            {!(project !== undefined && isId(text.trim())) && <Command.Empty className="px-3 py-6 text-center text-sm text-text-2">Nothing has that name.</Command.Empty>}
            <Command.List className="max-h-[60vh] overflow-auto p-1 not-has-[[cmdk-item]]:hidden">
              {project !== undefined && <IdGroup text={text.trim()} projectId={project.id} onClose={onClose} />}
              {project !== undefined && <PageGroup projectId={project.id} onClose={onClose} />}
              {project !== undefined && <PromptGroup text={text.trim()} onClose={onClose} />}
              <ProjectGroup {...props} />
              <CommandGroup {...props} />
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Group({ heading, forced, children }: { heading: string; forced?: boolean; children: ReactNode }) {
  return <Command.Group heading={heading} forceMount={forced} className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-text-3">{children}</Command.Group>;
}

interface RowProps {
  value: string;
  icon: LucideIcon;
  keys?: string;
  hint?: string;
  forced?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

function Row({ value, icon: Icon, keys, hint, forced, onSelect, children }: RowProps) {
  return (
    <Command.Item value={value} forceMount={forced} onSelect={onSelect} className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-3 text-sm data-[selected=true]:bg-selected pointer-coarse:min-h-11">
      <Icon size={15} aria-hidden className="shrink-0 text-text-3" />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint !== undefined && <span className="truncate text-xs text-text-3">{hint}</span>}
      {keys !== undefined && <Kbd keys={keys} />}
    </Command.Item>
  );
}

/** An id is one word with a digit in it. What it is an id of, only the server knows: all ways are offered. */
const isId = (text: string) => /^\S{6,}$/.test(text) && /\d/.test(text);

function IdGroup({ text, projectId, onClose }: { text: string; projectId: string; onClose: () => void }) {
  const navigate = useNavigate();
  if (!isId(text)) return null;
  const go = (run: () => Promise<void>) => () => {
    onClose();
    void run();
  };
  return (
    <Group forced heading="By id">
      <Row forced value={`trace ${text}`} icon={Activity} onSelect={go(() => navigate({ to: "/project/$projectId/traces/$traceId", params: { projectId, traceId: text } }))}>Open trace {text}</Row>
      <Row forced value={`observation ${text}`} icon={ListTree} onSelect={go(() => navigate({ to: "/project/$projectId/observations", params: { projectId }, search: { q: `id:=${text}` } as never }))}>Find observation {text}</Row>
      <Row forced value={`session ${text}`} icon={MessagesSquare} onSelect={go(() => navigate({ to: "/project/$projectId/sessions/$sessionId", params: { projectId, sessionId: text } }))}>Open session {text}</Row>
      <Row forced value={`user ${text}`} icon={User} onSelect={go(() => navigate({ to: "/project/$projectId/users/$userId", params: { projectId, userId: text } }))}>Open user {text}</Row>
    </Group>
  );
}

function PageGroup({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Group heading="Pages">
      {navItems.map(({ to, label, icon, keys }) => (
        <Row
          key={to} value={`page ${label}`} icon={icon} keys={keys}
          onSelect={() => {
            onClose();
            void navigate({ to, params: { projectId } });
          }}
        >
          {label}
        </Row>
      ))}
    </Group>
  );
}

/** Prompts are asked for by what is typed: there may be thousands. */
function PromptGroup({ text, onClose }: { text: string; onClose: () => void }) {
  const project = useProject();
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...foundPromptsQuery(project, text), enabled: text.length > 1, placeholderData: keepPreviousData });
  if (data.length === 0 || text.length < 2) return null;
  return (
    <Group heading="Prompts">
      {data.map(({ name }) => (
        <Row
          key={name} value={`prompt ${name}`} icon={FileText}
          onSelect={() => {
            onClose();
            void navigate({ to: "/project/$projectId/prompts/$", params: { projectId: project.id, _splat: name } });
          }}
        >
          {name}
        </Row>
      ))}
    </Group>
  );
}

function ProjectGroup({ session, project, onClose }: CommandPaletteProps) {
  const navigate = useNavigate();
  const others = projectOptions(session).filter((option) => option.value !== project?.id);
  if (others.length === 0) return null;
  return (
    <Group heading="Projects">
      {others.map((option) => (
        <Row
          key={option.value} value={`project ${option.label} ${option.hint} ${option.value}`} icon={FolderOpen} hint={option.hint}
          onSelect={() => {
            onClose();
            void navigate({ to: "/project/$projectId", params: { projectId: option.value } });
          }}
        >
          {option.label}
        </Row>
      ))}
    </Group>
  );
}

function CommandGroup({ onClose, openLayer }: CommandPaletteProps) {
  const theme = useTheme();
  const [, setTheme] = usePreference("theme");
  const signOut = useSignOut();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <Group heading="Commands">
      <Row value={`${other} theme`} icon={theme === "dark" ? Sun : Moon} onSelect={() => {
        setTheme(other);
        onClose();
      }}>
        Switch to the {other} theme
      </Row>
      <Row value="keyboard shortcuts" icon={Keyboard} keys="?" onSelect={() => openLayer("shortcuts")}>Keyboard shortcuts</Row>
      <Row value="sign out" icon={LogOut} onSelect={signOut}>Sign out</Row>
    </Group>
  );
}

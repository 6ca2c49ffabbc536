import { Activity, Bell, ClipboardCheck, Database, FileText, FlaskConical, Gauge, Gavel, House, LayoutDashboard, ListTree, type LucideIcon, MessagesSquare, Rocket, Settings, SquareTerminal, Users } from "lucide-react";

export interface NavItem {
  to:
    | "/project/$projectId"
    | "/project/$projectId/traces"
    | "/project/$projectId/observations"
    | "/project/$projectId/sessions"
    | "/project/$projectId/users"
    | "/project/$projectId/prompts"
    | "/project/$projectId/playground"
    | "/project/$projectId/datasets"
    | "/project/$projectId/scores"
    | "/project/$projectId/annotate"
    | "/project/$projectId/experiments"
    | "/project/$projectId/dashboards"
    | "/project/$projectId/alerts"
    | "/project/$projectId/evaluators"
    | "/project/$projectId/settings/{-$page}"
    | "/project/$projectId/setup";
  /** The path behind the project's own, without what a page adds. */
  section: string;
  label: string;
  icon: LucideIcon;
  /** Keys that lead there. */
  keys?: string;
  /** Stands in the bar of a phone. */
  inBar?: boolean;
}

export interface NavGroup {
  label: string;
  items: NavItem[];
}

/** Every page of a project that the sidebar, the phone's bar and the palette lead to, in this order. */
export const navigation: NavGroup[] = [
  {
    label: "Project",
    items: [
      { to: "/project/$projectId", section: "", label: "Overview", icon: House, keys: "g o", inBar: true },
      { to: "/project/$projectId/dashboards", section: "dashboards", label: "Dashboards", icon: LayoutDashboard, keys: "g d" },
      { to: "/project/$projectId/alerts", section: "alerts", label: "Alerts", icon: Bell },
    ],
  },
  {
    label: "Tracing",
    items: [
      { to: "/project/$projectId/traces", section: "traces", label: "Traces", icon: Activity, keys: "g t", inBar: true },
      { to: "/project/$projectId/observations", section: "observations", label: "Observations", icon: ListTree, keys: "g b", inBar: true },
      { to: "/project/$projectId/sessions", section: "sessions", label: "Sessions", icon: MessagesSquare, keys: "g s", inBar: true },
      { to: "/project/$projectId/users", section: "users", label: "Users", icon: Users, keys: "g u", inBar: true },
    ],
  },
  {
    label: "Prompts",
    items: [
      { to: "/project/$projectId/prompts", section: "prompts", label: "Prompts", icon: FileText, keys: "g p" },
      { to: "/project/$projectId/playground", section: "playground", label: "Playground", icon: SquareTerminal },
    ],
  },
  {
    label: "Evaluation",
    items: [
      { to: "/project/$projectId/experiments", section: "experiments", label: "Experiments", icon: FlaskConical, keys: "g e" },
      { to: "/project/$projectId/datasets", section: "datasets", label: "Datasets", icon: Database },
      { to: "/project/$projectId/evaluators", section: "evaluators", label: "Evaluators", icon: Gavel, keys: "g v" },
      { to: "/project/$projectId/scores", section: "scores", label: "Scores", icon: Gauge, keys: "g c" },
      { to: "/project/$projectId/annotate", section: "annotate", label: "Annotate", icon: ClipboardCheck, keys: "g a" },
    ],
  },
  {
    label: "Manage",
    items: [
      { to: "/project/$projectId/settings/{-$page}", section: "settings", label: "Settings", icon: Settings },
      { to: "/project/$projectId/setup", section: "setup", label: "Setup", icon: Rocket },
    ],
  },
];

export const navItems: NavItem[] = navigation.flatMap((group) => group.items);

/** The item that a path below a project belongs to. */
export function currentItem(pathname: string): NavItem | undefined {
  const [, section] = /\/project\/[^/]+\/?([^/]*)/.exec(pathname) ?? [];
  return navItems.find((item) => item.section === section);
}

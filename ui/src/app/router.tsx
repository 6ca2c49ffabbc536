import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { basePath } from "@/shared/api/client";
import { parseSearch, type Search, stringifySearch } from "@/shared/lib/search";
import { sessionQuery } from "@/shared/api/session";
import { traceQuery } from "@/shared/trace/loadTrace";
import { HomeRedirect } from "./HomeRedirect";
import { ProjectLayout } from "./ProjectLayout";
import { RootLayout } from "./RootLayout";
import { NotFoundPage, PageError, PagePending } from "./PageError";
import { PersonLayout } from "./PersonLayout";
import { queries } from "./queries";

const validateSearch = (search: Record<string, unknown>) => search as Search;

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage, errorComponent: PageError, validateSearch });

type Module = Record<string, unknown>;
const page = <T extends Module>(load: () => Promise<T>, name: keyof T & string) => lazyRouteComponent(load, name);

const home = createRoute({ getParentRoute: () => root, path: "/", component: HomeRedirect });
const signIn = createRoute({ getParentRoute: () => root, path: "auth/sign-in", component: page(() => import("@/features/auth/SignInPage"), "SignInPage") });
const invitation = createRoute({ getParentRoute: () => root, path: "auth/sign-up", component: page(() => import("@/features/auth/InvitationPage"), "InvitationPage") });
const firstRun = createRoute({ getParentRoute: () => root, path: "setup", component: page(() => import("@/features/setup/FirstRunPage"), "FirstRunPage") });
const person = createRoute({ getParentRoute: () => root, id: "person", component: PersonLayout });
const account = createRoute({ getParentRoute: () => person, path: "account/settings", component: page(() => import("@/features/settings/AccountPage"), "AccountPage") });
const organization = createRoute({ getParentRoute: () => person, path: "organization/$organizationId", component: page(() => import("@/features/settings/OrganizationPage"), "OrganizationPage") });
const findTrace = createRoute({ getParentRoute: () => root, path: "trace/$traceId", component: page(() => import("@/features/trace/FindTracePage"), "FindTracePage") });
const sharedTrace = createRoute({ getParentRoute: () => root, path: "public/traces/$traceId", component: page(() => import("@/features/trace/SharedTracePage"), "SharedTracePage") });
// For those who change the interface: what is built for users has no page of components.
const gallery = createRoute({ getParentRoute: () => root, path: "components", component: import.meta.env.DEV ? page(() => import("@/features/gallery/GalleryPage"), "GalleryPage") : NotFoundPage });

const project = createRoute({
  getParentRoute: () => root,
  path: "project/$projectId",
  // Its layout waits for the session; the script of the page need not be there first.
  loader: () => void queries.prefetchQuery(sessionQuery),
  component: ProjectLayout,
});
const overview = createRoute({ getParentRoute: () => project, path: "/", component: page(() => import("@/features/overview/OverviewPage"), "OverviewPage") });
const firstTrace = createRoute({ getParentRoute: () => project, path: "setup", component: page(() => import("@/features/setup/FirstTracePage"), "FirstTracePage") });
const traces = createRoute({ getParentRoute: () => project, path: "traces", component: page(() => import("@/features/traces/TracesPage"), "TracesPage") });
const trace = createRoute({
  getParentRoute: () => project,
  path: "traces/$traceId",
  // The rows are on their way while the page's own script still is. Not for a link that the pointer only passes: a trace can be large.
  loader: ({ params, cause }) => {
    if (cause === "enter") void queries.prefetchQuery(traceQuery({ ...params, shared: false }));
  },
  component: page(() => import("@/features/trace/TracePage"), "TracePage"),
});
const diff = createRoute({ getParentRoute: () => project, path: "traces/diff", component: page(() => import("@/features/tracediff/DiffPage"), "DiffPage") });
const observations = createRoute({ getParentRoute: () => project, path: "observations", component: page(() => import("@/features/traces/ObservationsPage"), "ObservationsPage") });
const sessions = createRoute({ getParentRoute: () => project, path: "sessions", component: page(() => import("@/features/sessions/SessionsPage"), "SessionsPage") });
const session = createRoute({ getParentRoute: () => project, path: "sessions/$sessionId", component: page(() => import("@/features/sessions/SessionPage"), "SessionPage") });
const users = createRoute({ getParentRoute: () => project, path: "users", component: page(() => import("@/features/users/UsersPage"), "UsersPage") });
const user = createRoute({ getParentRoute: () => project, path: "users/$userId", component: page(() => import("@/features/users/UserPage"), "UserPage") });
// Names of prompts have slashes. The list is an index, because a splat would match the path without a name, too.
const promptPages = createRoute({ getParentRoute: () => project, path: "prompts" });
const prompts = createRoute({ getParentRoute: () => promptPages, path: "/", component: page(() => import("@/features/prompts/PromptsPage"), "PromptsPage") });
const prompt = createRoute({ getParentRoute: () => promptPages, path: "$", component: page(() => import("@/features/prompts/PromptPage"), "PromptPage") });
const playground = createRoute({ getParentRoute: () => project, path: "playground", component: page(() => import("@/features/playground/PlaygroundPage"), "PlaygroundPage") });
const datasets = createRoute({ getParentRoute: () => project, path: "datasets", component: page(() => import("@/features/datasets/DatasetsPage"), "DatasetsPage") });
const dataset = createRoute({ getParentRoute: () => project, path: "datasets/$datasetId", component: page(() => import("@/features/datasets/DatasetPage"), "DatasetPage") });
const newItem = createRoute({ getParentRoute: () => project, path: "datasets/$datasetId/new", component: page(() => import("@/features/datasets/NewItemPage"), "NewItemPage") });
const importItems = createRoute({ getParentRoute: () => project, path: "datasets/$datasetId/import", component: page(() => import("@/features/datasets/import/ImportPage"), "ImportPage") });
const item = createRoute({ getParentRoute: () => project, path: "datasets/$datasetId/items/$itemId", component: page(() => import("@/features/datasets/ItemPage"), "ItemPage") });
const scores = createRoute({ getParentRoute: () => project, path: "scores", component: page(() => import("@/features/scores/ScoresPage"), "ScoresPage") });
const analytics = createRoute({ getParentRoute: () => project, path: "scores/analytics", component: page(() => import("@/features/scores/AnalyticsPage"), "AnalyticsPage") });
const queues = createRoute({ getParentRoute: () => project, path: "annotate", component: page(() => import("@/features/annotate/QueuesPage"), "QueuesPage") });
const review = createRoute({ getParentRoute: () => project, path: "annotate/$queueId", component: page(() => import("@/features/annotate/ReviewPage"), "ReviewPage") });
const experiments = createRoute({ getParentRoute: () => project, path: "experiments", component: page(() => import("@/features/experiments/ExperimentsPage"), "ExperimentsPage") });
const results = createRoute({ getParentRoute: () => project, path: "experiments/results", component: page(() => import("@/features/experiments/ResultsPage"), "ResultsPage") });
const datasetRun = createRoute({ getParentRoute: () => project, path: "datasets/$datasetId/runs/$runId", component: page(() => import("@/features/experiments/RunRedirect"), "RunRedirect") });
const dashboards = createRoute({ getParentRoute: () => project, path: "dashboards", component: page(() => import("@/features/dashboards/DashboardsPage"), "DashboardsPage") });
const dashboard = createRoute({ getParentRoute: () => project, path: "dashboards/$dashboardId", component: page(() => import("@/features/dashboards/DashboardPage"), "DashboardPage") });
const alerts = createRoute({ getParentRoute: () => project, path: "alerts", component: page(() => import("@/features/alerts/AlertsPage"), "AlertsPage") });
const evaluators = createRoute({ getParentRoute: () => project, path: "evaluators", component: page(() => import("@/features/evaluators/EvaluatorsPage"), "EvaluatorsPage") });
const evaluator = createRoute({ getParentRoute: () => project, path: "evaluators/$evaluatorId", component: page(() => import("@/features/evaluators/EvaluatorPage"), "EvaluatorPage") });
const rule = createRoute({ getParentRoute: () => project, path: "evaluators/rules/$ruleId", component: page(() => import("@/features/evaluators/RulePage"), "RulePage") });
const settings = createRoute({ getParentRoute: () => project, path: "settings/{-$page}", component: page(() => import("@/features/settings/SettingsPage"), "SettingsPage") });

const tree = root.addChildren([
  home, signIn, invitation, firstRun, findTrace, sharedTrace, gallery,
  person.addChildren([account, organization]),
  project.addChildren([overview, firstTrace, traces, diff, trace, observations, sessions, session, users, user, evaluators, evaluator, rule, dashboards, dashboard, alerts, experiments, results, datasetRun, scores, analytics, queues, review, datasets, dataset, newItem, importItems, item, promptPages.addChildren([prompts, prompt]), playground, settings]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: basePath === "" ? "/" : basePath,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPendingComponent: PagePending,
  defaultPendingMs: 150,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
  scrollToTopSelectors: ["#main"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

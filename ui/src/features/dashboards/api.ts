import { queryOptions } from "@tanstack/react-query";
import type { MetricsRow } from "@/shared/api/metrics";
import type { Project } from "@/shared/api/project";
import type { Dashboard, DashboardHead, Tile } from "./model";

export const listQuery = ({ id, api }: Project) => queryOptions({
  queryKey: ["dashboards", id],
  queryFn: async ({ signal }): Promise<DashboardHead[]> => (await api.GET("/api/public/dashboards", { signal })).data?.data ?? [],
});

export const dashboardQuery = ({ id, api }: Project, dashboardId: string) => queryOptions({
  queryKey: ["dashboards", id, dashboardId],
  queryFn: async ({ signal }): Promise<Dashboard> => (await api.GET("/api/public/dashboards/{dashboardId}", { params: { path: { dashboardId } }, signal })).data as Dashboard,
});

interface Content {
  name: string;
  description: string;
  tiles: Tile[];
}

const bodyOf = ({ name, description, tiles }: Content) => ({ name, description, tiles: tiles as never });

export async function createDashboard({ api }: Project, content: Content): Promise<Dashboard> {
  return (await api.POST("/api/public/dashboards", { body: bodyOf(content) })).data as Dashboard;
}

export async function saveDashboard({ api }: Project, dashboard: Dashboard): Promise<Dashboard> {
  const body = { ...bodyOf(dashboard), revision: dashboard.revision };
  return (await api.PUT("/api/public/dashboards/{dashboardId}", { params: { path: { dashboardId: dashboard.id } }, body })).data as Dashboard;
}

export async function deleteDashboard({ api }: Project, dashboardId: string): Promise<void> {
  await api.DELETE("/api/public/dashboards/{dashboardId}", { params: { path: { dashboardId } } });
}

export async function loadRows({ api }: Project, asked: unknown, signal: AbortSignal): Promise<MetricsRow[]> {
  return (await api.GET("/api/public/v2/metrics", { params: { query: { query: JSON.stringify(asked) } }, signal })).data?.data ?? [];
}

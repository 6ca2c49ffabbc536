import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

type Schemas = components["schemas"];
export type Alert = Schemas["Alert"];
export type AlertSettings = Schemas["AlertSettings"];
export type AlertState = Schemas["AlertState"];
export type AlertChange = Schemas["AlertChange"];
export type AlertTarget = Schemas["AlertTarget"];

export const alertsQuery = ({ id, api }: Project) => queryOptions({
  queryKey: ["alerts", id], refetchInterval: 15_000,
  queryFn: async ({ signal }): Promise<Alert[]> => (await api.GET("/api/public/alerts", { signal })).data?.data ?? [],
});

export const historyQuery = ({ id, api }: Project, alertId: string) => queryOptions({
  queryKey: ["alerts", id, alertId, "history"], refetchInterval: 15_000,
  queryFn: async ({ signal }): Promise<AlertChange[]> => (await api.GET("/api/public/alerts/{alertId}/history", { params: { path: { alertId } }, signal })).data?.data ?? [],
});

export const targetsQuery = ({ id, api }: Project) => queryOptions({
  queryKey: ["alert-targets", id],
  queryFn: async ({ signal }): Promise<AlertTarget[]> => (await api.GET("/api/public/alert-targets", { signal })).data?.data ?? [],
});

export async function createAlert({ api }: Project, body: AlertSettings): Promise<Alert> {
  return (await api.POST("/api/public/alerts", { body })).data!;
}

export async function replaceAlert({ api }: Project, alertId: string, body: AlertSettings): Promise<Alert> {
  return (await api.PUT("/api/public/alerts/{alertId}", { params: { path: { alertId } }, body })).data!;
}

export async function deleteAlert({ api }: Project, alertId: string): Promise<void> {
  await api.DELETE("/api/public/alerts/{alertId}", { params: { path: { alertId } } });
}

export async function muteAlert({ api }: Project, alertId: string, until: string | null): Promise<Alert> {
  return (await api.PUT("/api/public/alerts/{alertId}/mute", { params: { path: { alertId } }, body: { until } })).data!;
}

export async function testAlert({ api }: Project, alertId: string) {
  return (await api.POST("/api/public/alerts/{alertId}/test", { params: { path: { alertId } } })).data!;
}

export async function createTarget({ api }: Project, body: Schemas["NewAlertTarget"]) {
  return (await api.POST("/api/public/alert-targets", { body })).data!;
}

export async function deleteTarget({ api }: Project, targetId: string): Promise<void> {
  await api.DELETE("/api/public/alert-targets/{targetId}", { params: { path: { targetId } } });
}

export async function testTarget({ api }: Project, targetId: string) {
  return (await api.POST("/api/public/alert-targets/{targetId}/test", { params: { path: { targetId } } })).data!;
}

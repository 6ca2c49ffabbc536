import { useMutation } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { describeError } from "@/shared/api/describeError";
import { allows, useProject } from "@/shared/api/project";
import { Banner } from "@/shared/ui/Banner";
import { Button } from "@/shared/ui/Button";
import type { FreshKey } from "./freshKey";
import { sampleTrace } from "./sampleTrace";
import { basicAuth } from "./snippets";

/** Sends a trace from this page, by the way that all traces take: with the new key, so that it is tried as well, else as the person. */
export function SampleButton({ fresh }: { fresh: FreshKey | undefined }) {
  const { api, role } = useProject();
  const send = useMutation({
    mutationFn: () => api.POST("/api/public/otel/v1/traces", {
      body: sampleTrace(Date.now()) as never,
      headers: { "Content-Type": "application/json", "x-sonde-sdk-name": "sonde-ui", ...(fresh !== undefined && { Authorization: basicAuth(fresh) }) },
    }),
  });
  if (fresh === undefined && !allows(role, "MEMBER")) return null;
  return (
    <div className="flex flex-col gap-2">
      {send.error !== null && <Banner tone="danger">The sample was not sent. {describeError(send.error).message}</Banner>}
      <Button icon={Send} busy={send.isPending} onClick={() => send.mutate()}>Send a sample trace</Button>
    </div>
  );
}

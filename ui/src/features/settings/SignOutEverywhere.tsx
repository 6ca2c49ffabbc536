import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { leaveSession } from "@/shared/api/session";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { useToast } from "@/shared/ui/Toast";
import { signOutEverywhere } from "./api";
import { Section } from "./Section";

export function SignOutEverywhere() {
  const queries = useQueryClient();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: signOutEverywhere,
    onSuccess: () => leaveSession(queries),
    onError: (error) => toast({ kind: "error", title: "You are still signed in", detail: describeError(error).message }),
    onSettled: () => setAsking(false),
  });
  return (
    <Section
      title="Sessions" description="A session lasts 30 days, and 7 days without use. If you left one open somewhere, end them all."
      actions={<Button onClick={() => setAsking(true)}>Sign out everywhere…</Button>}
    >
      <AlertDialog
        open={asking} onOpenChange={setAsking} title="Sign out everywhere?" action="Sign out everywhere" busy={leave.isPending} onConfirm={() => leave.mutate()}
        description="All your sessions end at once, also the one of this browser. You can sign in again with your password."
      />
    </Section>
  );
}

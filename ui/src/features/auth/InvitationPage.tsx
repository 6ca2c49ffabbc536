import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { beginSession } from "@/shared/api/beginSession";
import { createApi } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import type { components } from "@/shared/api/schema.d.ts";
import { type Session, useSession } from "@/shared/api/session";
import { one, type Search } from "@/shared/lib/search";
import { buttonClass } from "@/shared/ui/Button";
import { ErrorState } from "@/shared/ui/ErrorState";
import { FormPage, OrLine } from "@/shared/ui/FormPage";
import { Redirect } from "@/shared/ui/Redirect";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";
import { Skeleton } from "@/shared/ui/Skeleton";
import { JoinForm, SignUpForm } from "./InvitationForms";
import { ProviderLink } from "./ProviderLink";

type Invitation = components["schemas"]["InvitationToAccept"];

/** Where the link of an invitation leads: who has an account joins with it, others get one. */
export function InvitationPage() {
  const queries = useQueryClient();
  const [joined, setJoined] = useState<{ session: Session; organization: string }>();
  const token = one(useSearch({ strict: false }) as Search, "invitation") ?? "";
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    enabled: token !== "" && joined === undefined,
    queryFn: async ({ signal }) => (await createApi().GET("/api/ui/invitations/accept/{token}", { params: { path: { token } }, signal })).data!,
  });
  if (joined !== undefined) return <Welcome session={joined.session} organizationId={joined.organization} />;
  if (token === "" || (error instanceof ApiError && error.status === 404)) return <NoInvitation given={token !== ""} />;
  if (error !== null) return <FormPage title="Invitation"><ErrorState error={error} onRetry={() => void refetch()} compact /></FormPage>;
  if (data === undefined) return <FormPage title="Invitation"><div role="status" aria-label="Loading" className="flex flex-col gap-3"><Skeleton className="w-2/3" /><Skeleton /><Skeleton /></div></FormPage>;
  const onAccepted = (session: Session) => {
    setJoined({ session, organization: data.organization.id });
    beginSession(queries, session);
  };
  return <Invited invitation={data} token={token} onAccepted={onAccepted} />;
}

/** Leads to the first project of the organization. */
function Welcome({ session, organizationId }: { session: Session; organizationId: string }) {
  const [project] = session.organizations.find(({ id }) => id === organizationId)?.projects ?? [];
  return <Redirect href={project === undefined ? "/" : `/project/${encodeURIComponent(project.id)}`} />;
}

function NoInvitation({ given }: { given: boolean }) {
  return (
    <FormPage title="This invitation cannot be used">
      <p className="text-sm text-text-2">
        {given ? "It was used or taken back, or is older than 7 days. Ask who invited you for a new link." : "The address lacks its end. Open the link again, or copy the whole of it: it ends with ?invitation= and a long text."}
      </p>
      <Link to="/auth/sign-in" className={buttonClass("secondary", "w-full")}>I have an account: sign in</Link>
    </FormPage>
  );
}

const roleSays: Record<Invitation["role"], string> = {
  VIEWER: "reads everything",
  MEMBER: "reads everything and writes scores, comments, datasets and prompts",
  ADMIN: "also manages keys, members and projects",
  OWNER: "may do everything",
};

function Invited({ invitation, token, onAccepted }: { invitation: Invitation; token: string; onAccepted: (session: Session) => void }) {
  const { user, signIn } = useSession();
  const { organization, invitedBy, role, email, hasAccount, expiresAt } = invitation;
  const here = `/auth/sign-up?invitation=${encodeURIComponent(token)}`;
  const intro = (
    <>
      <p>{invitedBy.name || invitedBy.email} invites {email} as <strong className="font-medium text-text">{role}</strong>, who {roleSays[role]}.</p>
      <p className="mt-1 text-xs text-text-3">The link works once, until <AbsoluteTime value={expiresAt} />.</p>
    </>
  );
  return (
    <FormPage title={`Join ${organization.name}`} intro={intro}>
      {user !== null && <JoinForm token={token} onAccepted={onAccepted} user={user} email={email} />}
      {user === null && hasAccount && (
        <>
          <p className="text-sm">{email} has an account on this server. Sign in with it, and you come back here.</p>
          <Link to="/auth/sign-in" search={{ next: here }} className={buttonClass("primary", "w-full")}>Sign in</Link>
        </>
      )}
      {user === null && !hasAccount && <SignUpForm token={token} onAccepted={onAccepted} email={email} />}
      {user === null && !hasAccount && signIn.oidc !== null && <><OrLine /><ProviderLink name={signIn.oidc} next={here} /></>}
    </FormPage>
  );
}

import { Link } from "@tanstack/react-router";
import { useSession } from "@/shared/api/session";
import { Badge } from "@/shared/ui/Badge";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Appearance } from "./Appearance";
import { NameForm } from "./NameForm";
import { PasswordForm } from "./PasswordForm";
import { Section } from "./Section";
import { SignOutEverywhere } from "./SignOutEverywhere";

/** What a person chooses for themselves. */
export function AccountPage() {
  const { user, organizations, signIn } = useSession();
  if (user === null) return null; // the layout leads to the sign-in page
  return (
    <div className="flex flex-col">
      <PageHeader title="Account" />
      <div className="flex max-w-4xl flex-col gap-4 p-4">
        <Section title="You" description={`You sign in as ${user.email}.`}><NameForm name={user.name} /></Section>
        <Appearance />
        <Section title="Password" description={user.hasPassword ? "A new password signs you out in all other browsers." : `Your account has no password: you sign in through ${signIn.oidc ?? "a provider"}. An operator of the server can set one with sonde user reset-password.`}>
          {user.hasPassword && <PasswordForm email={user.email} />}
        </Section>
        <SignOutEverywhere />
        <Section title="Organizations" description={organizations.length === 0 ? "You belong to none. Ask an owner of one for an invitation." : "What you belong to."}>
          {organizations.length > 0 && (
            <ul className="flex flex-col gap-1">
              {organizations.map(({ id, name, role }) => (
                <li key={id} className="flex min-h-6 items-center gap-2 text-sm">
                  <Link to="/organization/$organizationId" params={{ organizationId: id }} className="min-w-0 truncate text-accent underline">{name}</Link>
                  <Badge>{role}</Badge>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
    </div>
  );
}

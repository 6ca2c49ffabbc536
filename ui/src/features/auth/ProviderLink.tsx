import { LogIn } from "lucide-react";
import { basePath } from "@/shared/api/client";
import { buttonClass } from "@/shared/ui/Button";

/** The way through the OpenID Connect provider: a page of the server, so no route of ours. */
export function ProviderLink({ name, next }: { name: string; next: string }) {
  return (
    <a href={`${basePath}/api/ui/oidc/start?next=${encodeURIComponent(next)}`} className={buttonClass("secondary", "w-full")}>
      <LogIn size={14} aria-hidden />
      Sign in with {name}
    </a>
  );
}

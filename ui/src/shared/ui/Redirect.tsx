import { Navigate, useRouter } from "@tanstack/react-router";
import { useState } from "react";

/** Goes to another page, once: this is still shown while the address changes already, and must not take that for a reason to go again. */
export function Redirect({ href }: { href: string }) {
  const [element] = useState(<Navigate to="/" href={href} replace />);
  return element;
}

/** Leads to the sign-in page, which leads back here. */
export function ToSignIn() {
  const router = useRouter();
  return <Redirect href={`/auth/sign-in?next=${encodeURIComponent(router.state.location.href)}`} />;
}

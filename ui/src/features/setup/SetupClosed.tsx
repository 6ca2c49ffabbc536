import { Link } from "@tanstack/react-router";
import { buttonClass } from "@/shared/ui/Button";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { FormPage } from "@/shared/ui/FormPage";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A day after the first start a browser makes no owner any more: whoever has the machine does. */
export function SetupClosed({ reason, email, name }: { reason: string; email: string; name: string }) {
  const command = `sonde user create ${quoted(email)}${name === "" ? "" : ` --name ${quoted(name)}`} --member-role OWNER`;
  return (
    <FormPage title="Make the first account on the server" intro={reason}>
      <p className="text-sm">Run this on its machine, with the data directory of the server. It asks for a password; then sign in with it.</p>
      <CodeBlock title="On the server" code={command} wrap />
      <Link to="/auth/sign-in" className={buttonClass("primary", "w-full")}>Sign in</Link>
    </FormPage>
  );
}

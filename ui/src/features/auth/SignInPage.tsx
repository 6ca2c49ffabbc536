export function SignInPage() {
  return <h1 className="p-6 text-xl font-semibold">Sign in</h1>;
}

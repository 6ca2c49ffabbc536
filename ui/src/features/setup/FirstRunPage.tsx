export function FirstRunPage() {
  return <h1 className="p-6 text-xl font-semibold">Welcome</h1>;
}

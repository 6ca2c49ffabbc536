export function OverviewPage() {
  return <h1 className="p-6 text-xl font-semibold">Overview</h1>;
}

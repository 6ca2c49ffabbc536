export function InvitationPage() {
  return <h1 className="p-6 text-xl font-semibold">Invitation</h1>;
}

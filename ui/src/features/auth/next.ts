/** The page to go on at: a path of this server, never another site's. */
export function safeNext(next: string | undefined): string {
  const origin = "http://this.invalid";
  if (next === undefined || !next.startsWith("/") || !URL.canParse(next, origin)) return "/";
  const url = new URL(next, origin);
  // The parser takes "/\other.example" for another host, as browsers do.
  if (url.origin !== origin || url.pathname.startsWith("//")) return "/";
  if (/^\/auth\/sign-in\/?$/.test(url.pathname)) return "/";
  return url.pathname + url.search + url.hash;
}

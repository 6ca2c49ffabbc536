/** The layers of Radix lock the page's scrolling by a style element of their own. The policy of the page lets it in
 * by the nonce of this response, which the library that makes it (get-nonce) looks up here. */
const nonce = document.querySelector<HTMLMetaElement>("meta[name=sonde-nonce]")?.content;
Object.assign(globalThis, { __webpack_nonce__: nonce });

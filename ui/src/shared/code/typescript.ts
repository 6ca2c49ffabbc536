import { StreamLanguage, type StringStream } from "@codemirror/language";

const keywords = /^(?:async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|finally|for|function|if|import|in|instanceof|interface|let|new|of|return|switch|this|throw|try|type|typeof|var|void|while|yield)$/;
const values = /^(?:true|false|null|undefined|NaN|Infinity)$/;

/** What a line begins inside of: a comment, or a text between two signs like this one. "": neither. */
interface State {
  open: string;
}

/** TypeScript, told apart as far as colors go: comments, texts, numbers and words of the language. The whole grammar would weigh more than the rest of the editor. */
export const typescript = StreamLanguage.define<State>({
  name: "typescript",
  startState: () => ({ open: "" }),
  token(stream, state) {
    if (state.open !== "") return goOn(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.open = "*/";
      return goOn(stream, state);
    }
    const sign = stream.match(/^["'`]/) as RegExpMatchArray | null;
    if (sign !== null) {
      state.open = sign[0];
      return goOn(stream, state);
    }
    if (stream.match(/^(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/i)) return "number";
    const word = stream.match(/^[A-Za-z_$][\w$]*/) as RegExpMatchArray | null;
    if (word === null) {
      stream.next();
      return null;
    }
    if (keywords.test(word[0])) return "keyword";
    return values.test(word[0]) ? "atom" : null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", "'", '"', "`"] } },
});

/** To the end of what is open, or of the line. Only comments and template texts go on in the next line. */
function goOn(stream: StringStream, state: State): string {
  const { open } = state;
  while (!stream.eol()) {
    if (stream.match(open)) {
      state.open = "";
      return open === "*/" ? "comment" : "string";
    }
    if (open !== "*/" && stream.peek() === "\\") stream.next();
    stream.next();
  }
  if (open === '"' || open === "'") state.open = "";
  return open === "*/" ? "comment" : "string";
}

/** What a text is written in. "prompt" is text with {{variables}} and references to other prompts. */
export type CodeLanguage = "json" | "text" | "prompt" | "typescript";

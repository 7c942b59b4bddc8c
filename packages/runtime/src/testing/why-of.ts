/** What was wrong with an exchange, to stand within a sentence. */
export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it has no form that can be written'
}

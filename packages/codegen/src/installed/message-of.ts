/** What went wrong and what caused it, each on its first line. */
export function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const what = line.replace(/\.$/, '')
  return error instanceof Error && error.cause !== undefined ? `${what}: ${messageOf(error.cause)}` : what
}

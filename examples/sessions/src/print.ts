import type { SessionEntry } from '@toolgen/runtime/sessions'

/** Prints one line. */
export type Print = (line: string) => void

/** Replaces the random ids of calls by short names, numbered in the order of their appearance. */
export function namingCalls(print: Print): Print {
  const names = new Map<string, string>()
  return (line) => {
    const named = line.replaceAll(/\bcall_[0-9a-f]+_\d+/g, (id) => {
      const name = names.get(id) ?? `call-${names.size + 1}`
      names.set(id, name)
      return name
    })
    print(named)
  }
}

/** Returns the text of an entry for users. */
export function shown(entry: SessionEntry): string {
  if (entry.kind === 'update') return `${entry.callId} tells ${entry.update}`
  const { callId, outcome } = entry
  if (outcome.status === 'completed') return `${callId} has ended: ${outcome.json}`
  return `${callId} has failed: ${outcome.status === 'failed' ? outcome.error.reason : outcome.status}`
}

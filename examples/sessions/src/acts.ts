import type { SessionEntry } from '@toolgen/runtime/sessions'
import type { ApplicationProcess } from './application-process.js'
import { type Print, shown } from './print.js'
import { ask, type Connection, follow, leave } from './user.js'

/** A process of the application, and its users. */
export interface Scene {
  readonly application: ApplicationProcess
  readonly anna: Connection
  readonly ben: Connection
  readonly say: Print
}

/** @returns sequence of the last entry that Anna has seen */
export async function leaveEarly({ application, anna, say }: Scene): Promise<number> {
  say('\n1. Anna asks for a report and does not wait for it')
  await talk(anna, 'Build the report of 2024.', say)
  const seen = await watch(anna, { say, until: (entry) => entry.kind === 'update' && entry.index === 2 })
  say('Anna disconnects, and the application is told to stop. It waits for the report.')
  say(`The application has ended ${await application.stop()}.`)
  return seen
}

/** @param seen sequence of the last entry that Anna has seen */
export async function comeBack({ application, anna, say }: Scene, seen: number): Promise<void> {
  say('\n2. Anna comes back, to another process, and asks for more')
  const last = await watch(anna, { say, after: seen, until: isResult })
  await talk(anna, 'Build the reports of 2025 and 2026.', say)
  await watch(anna, { after: last, until: isResult })
  say('The report of 2025 is ready, that of 2026 is not.')
  say(`The application has ended ${await application.kill()}.`)
}

export async function findResults({ application, anna, ben, say }: Scene): Promise<void> {
  say('\n3. Anna comes back once more')
  await watch(ben, { until: isResult }).catch((error) => say(`Ben wants to see her session: ${error.message}`))
  // Anna uses another device, which has no entries yet.
  await watch(anna, { say, until: (entry) => isResult(entry) && entry.outcome.status === 'failed' })
  await talk(anna, 'What has become of my reports?', say)
  await talk(anna, 'And now?', say)
  await leave(anna)
  say('Anna deletes the session, and the application is told to stop.')
  say(`The application has ended ${await application.stop()}.`)
}

async function talk(user: Connection, words: string, say: Print): Promise<void> {
  say(`${user.user}: ${words}`)
  for (const line of (await ask(user, words)).split('\n')) say(`  agent: ${line}`)
}

interface Watch {
  /** Sequence of the last entry that the user has seen. Default: 0, before the first entry. */
  readonly after?: number
  readonly until: (entry: SessionEntry) => boolean
  readonly say?: Print
}

/** @returns sequence of the last entry that the user has seen */
async function watch(user: Connection, { after = 0, until, say }: Watch): Promise<number> {
  for await (const entry of follow(user, after)) {
    say?.(`  ${user.user} sees: ${shown(entry)}`)
    if (until(entry)) return entry.sequence
  }
  throw new Error('The session was closed.')
}

function isResult(entry: SessionEntry): entry is Extract<SessionEntry, { readonly kind: 'completed' }> {
  return entry.kind === 'completed'
}

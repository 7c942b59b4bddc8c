import { createHash } from 'node:crypto'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import type { ServicePlans } from '../plan/plan.js'

/** What a program asked of the file system. */
export type ProbeKind = 'read' | 'file' | 'directory' | 'list' | 'real'

/** Answers a probe as text; the same state of the disk gives the same text. */
export type ProbeAnswer = (kind: ProbeKind, path: string) => string

/** Everything a program asked, and what it was told: `[kind, path, answer]`. */
export type Probes = readonly (readonly [ProbeKind, string, string])[]

/** What is kept of one run. */
export interface CachedBinding {
  /** The hash of what went in beside files: see {@link cacheKey}. */
  readonly key: string
  readonly probes: Probes
  readonly plans: ServicePlans | null
  readonly diagnostics: readonly Diagnostic[]
}

/** The hash of everything that decides the verdicts beside the files that the program reads. */
export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(String(part.length)).update(':').update(part)
  return hash.digest('hex')
}

/** The text to be stored. */
export function cacheText(binding: CachedBinding): string {
  return `${JSON.stringify(binding)}\n`
}

/** What was kept, with the questions whose answers it holds for. */
export interface ReadBinding extends Pick<CachedBinding, 'probes'> {
  readonly checked: Checked<ServicePlans>
}

/** What a stored text holds, if it was made from the same input and every probe would be answered the same today. */
export function readCache(text: string, key: string, answer: ProbeAnswer): ReadBinding | undefined {
  const stored = parsed(text)
  if (stored === undefined || stored.key !== key) return undefined
  if (!stored.probes.every(([kind, path, known]) => answer(kind, path) === known)) return undefined
  const { plans, diagnostics, probes } = stored
  return { checked: plans === null ? { diagnostics } : { value: withoutPrototypes(plans), diagnostics }, probes }
}

/** A text that is no JSON of ours is no cache; the run starts afresh. */
function parsed(text: string): CachedBinding | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCachedBinding(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isCachedBinding(value: unknown): value is CachedBinding {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    typeof value.key === 'string' &&
    'probes' in value &&
    Array.isArray(value.probes) &&
    'plans' in value &&
    'diagnostics' in value &&
    Array.isArray(value.diagnostics)
  )
}

/** Names come from users: the three levels of plans are records without a prototype. */
function withoutPrototypes(plans: ServicePlans): ServicePlans {
  return record(
    Object.entries(plans).map(([agent, uses]) => [
      agent,
      record(Object.entries(uses).map(([as, tools]) => [as, record(Object.entries(tools))])),
    ]),
  )
}

/** A record without a prototype. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

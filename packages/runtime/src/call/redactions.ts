import { isFields } from '../schema/json-values.js'
import type { RunSuspension } from '../types/outcome.js'
import { PseudonymMap, ScopedValues } from './known-values.js'
import { Redaction, type StoredPseudonym } from './redaction.js'
import type { SensitivePlan } from './sensitive-plan.js'

/** Encrypts the sensitive values that suspensions and session stores contain. */
export interface SensitiveCipher {
  /** Returns the encrypted text. */
  encrypt(text: string): string | Promise<string>
  /** Returns the original text. Rejects if the text was changed or encrypted with an unknown key. */
  decrypt(text: string): string | Promise<string>
}

export class Redactions {
  readonly #cipher: SensitiveCipher | undefined
  /** If no registered tool has sensitive fields, the runtime records no sensitive values. */
  isUsed = false
  readonly #scoped = new ScopedValues()
  readonly #shared = new PseudonymMap()
  /** Shared by all calls outside sessions and runs whose tools have no sensitive fields. Contains no values of its own. */
  readonly #reading = new Redaction(this.#shared)

  constructor(cipher: SensitiveCipher | undefined) {
    this.#cipher = cipher
  }

  use(tools: readonly { readonly tool: { readonly sensitive: SensitivePlan | undefined } }[]): void {
    this.isUsed ||= tools.some(({ tool }) => tool.sensitive !== undefined)
  }

  of(scope: string | undefined): Redaction | undefined {
    if (!this.isUsed) return undefined
    return scope === undefined ? new Redaction(this.#shared) : new Redaction(undefined, this.#scoped, scope)
  }

  /**
   * For a call that adds no values. Calls outside sessions and runs share one object, because a new object for each call would make the call 2 %
   * slower.
   */
  forReading(scope: string | undefined): Redaction | undefined {
    return this.isUsed && scope === undefined ? this.#reading : this.of(scope)
  }

  /** Without a cipher, the property `sensitive` of the copy contains only values that recordings may contain. */
  async hideState<State extends { readonly sensitive?: string }>(redaction: Redaction, state: State): Promise<State> {
    const cipher = this.#cipher
    const stored = redaction.stored(({ model, recording }) =>
      cipher === undefined
        ? model !== undefined && recording === undefined
        : model !== undefined || recording !== undefined,
    )
    const hidden = redaction.hides('state') ? redaction.structure(state, 'state') : state
    if (stored.length === 0) return hidden
    const text = JSON.stringify(stored)
    return { ...hidden, sensitive: cipher === undefined ? text : await cipher.encrypt(text) }
  }

  get hidesJournals(): boolean {
    return this.#cipher !== undefined
  }

  /**
   * Without a cipher, the stored part of the journal contains the hidden values.
   *
   * @param known pseudonyms that other parts of the journal contain
   */
  async hideJournal<Part extends object>(redaction: Redaction, part: Part, known: ReadonlySet<string>): Promise<Part> {
    const cipher = this.#cipher
    const stored = redaction.stored(() => true).filter((each) => !known.has(JSON.stringify(each)))
    const hidden = cipher !== undefined && redaction.hides('state') ? redaction.structure(part, 'state') : part
    if (stored.length === 0) return hidden
    const text = JSON.stringify(stored)
    return { ...hidden, sensitive: cipher === undefined ? text : await cipher.encrypt(text) }
  }

  /** Adds the pseudonyms of the part to `known`. */
  async restoreJournal<Part extends { readonly sensitive?: string }>(
    redaction: Redaction,
    part: Part,
    known: Set<string>,
  ): Promise<Part> {
    const { sensitive, ...others } = part
    if (sensitive !== undefined) {
      for (const each of await this.#load(redaction, sensitive)) known.add(JSON.stringify(each))
    }
    return (this.#cipher === undefined ? others : redaction.restoreState(others)) as Part
  }

  async reveal<Part>(part: Part, { runId, sessionId, sensitive }: SuspensionScope): Promise<Part> {
    const redaction = this.of(scopeOf(runId, sessionId))
    if (redaction === undefined || sensitive === undefined) return redaction?.reveal(part) ?? part
    // The suspension may have been changed, so its pseudonyms do not become those of the session.
    const stored = new Redaction()
    await this.#load(stored, sensitive)
    return redaction.reveal(stored.reveal(part))
  }

  async #load(redaction: Redaction, sensitive: string): Promise<readonly StoredPseudonym[]> {
    const stored = storedPseudonyms(this.#cipher === undefined ? sensitive : await this.#cipher.decrypt(sensitive))
    redaction.load(stored)
    return stored
  }

  async restoreState<State extends { readonly sensitive?: string }>(
    redaction: Redaction,
    state: State,
  ): Promise<State> {
    const { sensitive } = state
    if (sensitive !== undefined) await this.#load(redaction, sensitive)
    const { sensitive: _, ...restored } = redaction.restoreState(state)
    return restored as State
  }
}

export type SuspensionScope = Pick<RunSuspension, 'runId' | 'sessionId' | 'sensitive'>

export function scopeOf(runId: string, sessionId: string | undefined): string {
  return sessionId === undefined ? `run:${runId}` : `session:${sessionId}`
}

function storedPseudonyms(text: string): readonly StoredPseudonym[] {
  try {
    const stored: unknown = JSON.parse(text)
    if (Array.isArray(stored) && stored.every(isStoredPseudonym)) return stored
  } catch {
    // Reported below.
  }
  throw new TypeError(
    'The stored pseudonyms cannot be read. Pass the same `sensitive` option to all runtimes that share suspensions or sessions.',
  )
}

function isStoredPseudonym(value: unknown): value is StoredPseudonym {
  return Array.isArray(value) && value.length === 3 && typeof value[1] === 'string' && isFields(value[2])
}

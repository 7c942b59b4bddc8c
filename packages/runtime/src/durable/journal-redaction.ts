import type { CallContext } from '../call/call-context.js'
import type { Redaction } from '../call/redaction.js'
import { type Redactions, scopeOf } from '../call/redactions.js'
import type { Answers, RunSuspension, StoredOutcome } from '../types/outcome.js'
import type { RunEvent } from '../types/run.js'

interface JournalPart {
  readonly outcome?: StoredOutcome
  readonly outcomes?: readonly StoredOutcome[]
  readonly result?: unknown
  readonly suspension?: unknown
  readonly resume?: { readonly suspension: RunSuspension; readonly answers: Answers }
  readonly events?: readonly RunEvent[]
  /** Pseudonyms (replacements of sensitive values) with the original values. Encrypted if the runtime has a cipher. */
  readonly sensitive?: string
}

export function journalRedaction(
  { redactions }: CallContext,
  runId: string,
  sessionId: string | undefined,
): JournalRedaction | undefined {
  const redaction = redactions.isUsed ? redactions.of(scopeOf(runId, sessionId)) : undefined
  return redaction && new JournalRedaction(redactions, redaction)
}

/**
 * If the runtime has a cipher, journal records contain pseudonyms in place of sensitive values, and the property `sensitive` of a record contains the
 * encrypted values. Without a cipher, records contain the values themselves, because a process that continues the run needs the values.
 */
export class JournalRedaction {
  readonly #redactions: Redactions
  readonly #redaction: Redaction
  readonly #delivered = new Set<string>()

  constructor(redactions: Redactions, redaction: Redaction) {
    this.#redactions = redactions
    this.#redaction = redaction
  }

  /** The property `sensitive` of the returned record lists only pseudonyms that no earlier record lists. */
  hide<Part extends JournalPart>(part: Part): Promise<Part> {
    return this.#hidden(part, this.#delivered)
  }

  /**
   * For a record that another invocation reads, such as the result of a nested run. The property `sensitive` lists every pseudonym, because that
   * invocation has no earlier records.
   */
  hideFully<Part extends JournalPart>(part: Part): Promise<Part> {
    return this.#hidden(part, new Set())
  }

  async #hidden<Part extends JournalPart>(part: Part, known: ReadonlySet<string>): Promise<Part> {
    // Events and suspensions contain no values that their readers must not see.
    const { events, suspension, resume, ...others } = part
    const open = { ...others, ...(resume !== undefined && { answers: resume.answers }) }
    const { answers, ...hidden } = await this.#redactions.hideJournal(this.#redaction, open, known)
    return {
      ...hidden,
      ...(resume !== undefined && { resume: { ...resume, answers } }),
      ...(suspension !== undefined && { suspension }),
      ...(events !== undefined && { events }),
    } as unknown as Part
  }

  /** In messages and decisions, keeps the pseudonyms of values that models must not read. In results of tools, replaces all pseudonyms. */
  async restore<Part extends JournalPart>(part: Part): Promise<Part> {
    const { events, suspension, resume, outcome, outcomes, result, ...others } = part
    const restored = await this.#redactions.restoreJournal(this.#redaction, others as JournalPart, this.#delivered)
    return {
      ...restored,
      ...(outcome !== undefined && { outcome: this.#restoredOutcome(outcome) }),
      ...(outcomes !== undefined && { outcomes: outcomes.map((each) => this.#restoredOutcome(each)) }),
      ...(result !== undefined && { result: this.#redaction.restore(result) }),
      ...(resume !== undefined && { resume: { ...resume, answers: this.#redaction.restore(resume.answers) } }),
      ...(suspension !== undefined && { suspension }),
      ...(events !== undefined && { events }),
    } as unknown as Part
  }

  #restoredOutcome(outcome: StoredOutcome): StoredOutcome {
    if (!this.#redactions.hidesJournals) return outcome
    const restored = this.#redaction.reveal(outcome)
    if (restored.status !== 'suspended' || outcome.status !== 'suspended') return restored
    // The suspended nested run restores itself.
    const { nested } = outcome.suspension
    return { ...restored, suspension: { ...restored.suspension, ...(nested !== undefined && { nested }) } }
  }

  shown(json: string): string {
    return this.#redactions.hidesJournals ? this.#redaction.json(json, 'state') : json
  }
}

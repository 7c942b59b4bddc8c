import type { CallContext } from '../call/call-context.js'
import type { Redaction } from '../call/redaction.js'
import { type Redactions, scopeOf } from '../call/redactions.js'
import type { Answers, RunSuspension, StoredOutcome } from '../types/outcome.js'
import type { RunEvent } from '../types/run.js'

/** Part of a journal: a record, the input of an invocation, or the result of a nested run. */
interface JournalPart {
  readonly outcome?: StoredOutcome
  readonly outcomes?: readonly StoredOutcome[]
  /** Final result of a run. */
  readonly result?: unknown
  readonly suspension?: unknown
  readonly resume?: { readonly suspension: RunSuspension; readonly answers: Answers }
  readonly events?: readonly RunEvent[]
  /** Pseudonyms with their values, encrypted if the runtime has a cipher. */
  readonly sensitive?: string
}

/** Returns the sensitive values of a run or session; `undefined` if no tool has sensitive fields. */
export function journalRedaction(
  { redactions }: CallContext,
  runId: string,
  sessionId: string | undefined,
): JournalRedaction | undefined {
  const redaction = redactions.isUsed ? redactions.of(scopeOf(runId, sessionId)) : undefined
  return redaction && new JournalRedaction(redactions, redaction)
}

/**
 * Sensitive values of a run or session in its journal. Every process that reads the journal has the same pseudonyms. If the runtime has a
 * cipher, records contain pseudonyms in place of the values that recordings must not contain. Without a cipher, records contain the values,
 * because another process could not continue without them.
 */
export class JournalRedaction {
  readonly #redactions: Redactions
  readonly #redaction: Redaction
  /** Pseudonyms that delivered parts of the journal contain. */
  readonly #delivered = new Set<string>()

  constructor(redactions: Redactions, redaction: Redaction) {
    this.#redactions = redactions
    this.#redaction = redaction
  }

  /** Returns a record with the pseudonyms that no delivered record contains. */
  hide<Part extends JournalPart>(part: Part): Promise<Part> {
    return this.#hidden(part, this.#delivered)
  }

  /** Returns a part with all pseudonyms, for another invocation. */
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

  /** Reverses `hide`. Results get all values; messages and decisions keep the pseudonyms of values that models must not read. */
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

  /** Returns arguments of a call as the journal may contain them. */
  shown(json: string): string {
    return this.#redactions.hidesJournals ? this.#redaction.json(json, 'state') : json
  }
}

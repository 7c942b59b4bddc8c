/** Whom a change concerns: who calls generated code, what models read, or calls that were recorded. */
export type Category = 'code' | 'model' | 'recorded'

/** `breaking`: something that worked fails; `visible`: models read something else; `safe`: nobody need notice. */
export type Impact = 'breaking' | 'visible' | 'safe'

/** A kind of change of a contract. */
export interface Rule {
  /** What the docs, findings and scripts call it, e.g. `payload-field-required`. */
  readonly id: string
  readonly category: Category
  readonly severity: Impact
  /** What changed, behind the name of what changed: `is gone`. */
  readonly says: string
  /** The same where no value shows it: `may refuse values`. Absent for rules whose changes are always certain. */
  readonly maySay?: string
  /** Why it matters, and to whom. */
  readonly why: string
  /** What to do about it. */
  readonly next: string
}

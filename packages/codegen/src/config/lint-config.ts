import type { Vendor } from '../vendor-forms/vendor-form.js'

/** How much the findings of a rule matter. */
export type RuleLevel = 'off' | 'warning' | 'error'

/** What `toolgen.config.ts` says of `toolgen lint`. */
export interface LintConfig {
  /** Rule → how much its findings matter. Default: `warning` for each. */
  readonly rules?: Readonly<Record<string, RuleLevel>>
  /** Whose forms of the tools are looked at. Default: all that are known. */
  readonly vendors?: readonly Vendor[]
  /** How many warnings are accepted. Default: 0. */
  readonly maxWarnings?: number
}

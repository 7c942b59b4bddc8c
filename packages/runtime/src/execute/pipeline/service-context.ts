import type { Effects } from '../../contract/effects.js'
import type { Classify } from '../failure/classify.js'

/** What a tool's service needs of its runtime. */
export interface ServiceContext {
  readonly effects: Effects
  readonly classify: Classify | undefined
}

import type { Case } from './cases.js'
import type { Spot } from './spot.js'

/** Values that fit one variant of each union, with what else may be said of them. */
export interface Taken extends Pick<Case, 'plain' | 'excluded'>, Pick<Spot, 'maybe' | 'instead'> {}

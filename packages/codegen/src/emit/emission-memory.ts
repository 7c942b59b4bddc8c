import { KeyedResults } from '../memory/keyed-results.js'
import type { EmittedFile } from '../write/file.js'

/** The texts of earlier runs of this process. */
export interface EmissionMemory {
  /** The files of a part of the design, by that part and all else that its texts are made from. */
  readonly files: KeyedResults<readonly EmittedFile[]>
  /** The files of the last run that were parsed without a fault: path → text. */
  readonly sound: Map<string, string>
}

/** A memory of nothing. */
export function createEmissionMemory(): EmissionMemory {
  return { files: new KeyedResults(), sound: new Map() }
}

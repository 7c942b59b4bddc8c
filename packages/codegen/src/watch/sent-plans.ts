import { knownElement } from '../ir/names/known-element.js'
import type { EmittedFile } from '../write/file.js'
import type { PlannedOutput } from '../write/output-state.js'
import type { WatchPlan } from './planner-messages.js'

/** A plan on its way to another thread: of a file that the plan before it had too, the place among that one's files. */
export interface SentPlan extends Omit<WatchPlan, 'planned'> {
  readonly planned?: Omit<PlannedOutput, 'files'> & { readonly files: readonly (EmittedFile | number)[] }
}

/**
 * One end of the way that plans take: what did not change is not sent again, and stays the same object for who receives it.
 * Each end is for one direction, and sees every plan.
 */
export class SentPlans {
  #files: readonly EmittedFile[] = []

  pack({ planned, ...plan }: WatchPlan): SentPlan {
    if (planned === undefined) return plan
    const places = new Map(this.#files.map(({ path }, place) => [path, place] as const))
    const files = planned.files.map((file) => {
      const place = places.get(file.path)
      return place !== undefined && this.#files[place]?.text === file.text ? place : file
    })
    this.#files = planned.files
    return { ...plan, planned: { ...planned, files } }
  }

  unpack({ planned, ...plan }: SentPlan): WatchPlan {
    if (planned === undefined) return plan
    this.#files = planned.files.map((file) => (typeof file === 'number' ? knownElement(this.#files, file) : file))
    return { ...plan, planned: { ...planned, files: this.#files } }
  }
}

import type { Segment } from '../json/pointer.js'

/** More is not kept: each takes as much room as its place is deep. */
const most = 10_000

/** What is reported once all else is, in the order in which evaluation came to the places. */
export class Postponed {
  #isOver = false
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /** When the current place was come to: what is postponed there later goes before what its parts postpone. */
  get turn(): number {
    return this.#reports.length
  }

  /** Whether something was not kept: then nothing that is reported counts, and issues are looked for in another way. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Postpones what is to be reported at a place. */
  add(report: () => void, path: readonly Segment[], turn: number = this.turn): void {
    this.#isOver ||= this.#reports.length === most
    if (this.#isOver) return
    this.#reports.splice(turn, 0, { path: [...path], report })
  }

  /** Reports all of it, each at its place. */
  report(path: Segment[]): void {
    for (const { path: place, report } of this.#reports) {
      path.push(...place)
      report()
      path.length = 0
    }
  }
}

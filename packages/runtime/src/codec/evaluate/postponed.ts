import type { Segment } from '../json/pointer.js'

/** What is reported once all else is, in the order in which evaluation came to the places. */
export class Postponed {
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /** When the current place was come to: what is postponed there later goes before what its parts postpone. */
  get turn(): number {
    return this.#reports.length
  }

  /** Postpones what is to be reported at a place. */
  add(report: () => void, path: readonly Segment[], turn: number = this.turn): void {
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

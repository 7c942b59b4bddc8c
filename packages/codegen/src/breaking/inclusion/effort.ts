/** How deep a comparison is at one moment, and how many steps were taken. */
export interface EffortSpent {
  readonly depth: number
  readonly steps: number
}

/** How deep spots are nested, and how many steps are taken before a comparison is given up. */
const limits: EffortSpent = { depth: 150, steps: 50_000 }

/** What one comparison has cost so far. */
export class Effort {
  #depth = 0
  #steps = 0

  get spent(): EffortSpent {
    return { depth: this.#depth, steps: this.#steps }
  }

  /** Whether the next spot is too much. */
  get isOver(): boolean {
    return this.#depth > limits.depth || this.#steps > limits.steps
  }

  /** Takes steps; false where they are too many. */
  spend(steps: number): boolean {
    this.#steps += steps
    return this.#steps <= limits.steps
  }

  enter(): void {
    this.#depth += 1
  }

  leave(): void {
    this.#depth -= 1
  }
}

/** Which definitions of a file need which others, and for which nothing can be made, as its functions are made. */
export class DefinitionUses {
  readonly #users: Map<string, Set<string>> = new Map()
  readonly #failed: Set<string> = new Set()
  /** The definitions that are being made, the innermost last. */
  readonly #open: string[] = []

  /** Whether there is a definition for which nothing can be made. */
  get hasFailed(): boolean {
    return this.#failed.size > 0
  }

  /** Makes the function of a definition. What is `undefined` has failed. */
  make<Made>(name: string, make: () => Made | undefined): Made | undefined {
    this.#open.push(name)
    const made = make()
    this.#open.pop()
    if (made === undefined) this.#failed.add(name)
    return made
  }

  /** Takes note that what is being made needs a definition. */
  use(name: string): void {
    const user = this.#open.at(-1)
    if (user === undefined) return
    const users = this.#users.get(name)
    if (users === undefined) this.#users.set(name, new Set([user]))
    else users.add(user)
  }

  /** The definitions for which nothing can be made, for themselves or for what they need. */
  failed(): ReadonlySet<string> {
    const failed = new Set(this.#failed)
    // A set goes on to what is added while it is gone through.
    for (const name of failed) for (const user of this.#users.get(name) ?? []) failed.add(user)
    return failed
  }
}

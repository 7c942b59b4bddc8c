/** A pattern that cannot be tried in time: it looks for ever more ways to take the same text apart. */
export class SlowPatternError extends Error {
  override readonly name = 'SlowPatternError'
  readonly pattern: string

  constructor(pattern: string) {
    super(`the pattern ${JSON.stringify(pattern)} takes too long to try`)
    this.pattern = pattern
  }
}

import { isToolgenError } from '@toolgen/runtime'
import type { Session } from '../../packages/runtime/src/sessions.js'

/** Makes and takes calls of a streaming tool that emits its name and ends with it, through failures of the store. */
export class CallBook {
  refused = 0
  readonly #acknowledged = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #given: string[] = []

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** Makes a call; the store may refuse it, or have its result given at once. */
  async call(session: Session, name: string): Promise<void> {
    try {
      const answer = await session.execute({
        tool: 'quick.quick',
        arguments: JSON.stringify({ name }),
        toolCallId: name,
      })
      if (answer.status === 'streaming') this.#acknowledged.add(name)
      else this.#refused.add(name)
    } catch (error) {
      requireStoreFailed(error)
      this.#refused.add(name)
    }
    this.refused = this.#refused.size
  }

  /** Takes what has ended, where the store lets it. */
  async take(session: Session): Promise<void> {
    try {
      for (const { completion, updates } of await session.consumeCompleted()) {
        const { toolCallId = '', outcome } = completion
        const texts = [...updates.map(({ update }) => update), outcome.status === 'completed' ? outcome.json : '']
        this.#given.push(texts.join() === `"${toolCallId}","${toolCallId}"` ? toolCallId : JSON.stringify(completion))
      }
    } catch (error) {
      requireStoreFailed(error)
    }
  }

  /** Calls that were acknowledged and not given out as they are, given out twice, or given out though they were refused. */
  faults(): readonly string[] {
    const once = new Set(this.#given)
    return [
      ...[...this.#acknowledged].filter((name) => !once.has(name)).map((name) => `lost: ${name}`),
      ...this.#given.filter((name, at) => this.#given.indexOf(name) !== at).map((name) => `twice: ${name}`),
      ...[...once].filter((name) => !this.#acknowledged.has(name)).map((name) => `not acknowledged: ${name}`),
    ]
  }
}

function requireStoreFailed(error: unknown): void {
  if (!isToolgenError(error, 'SessionError') || error.code !== 'store_failed') throw error
}

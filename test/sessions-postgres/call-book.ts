import { isToolgenError } from '@toolgen/runtime'
import type { Session } from '../../packages/runtime/src/sessions.js'

/** Makes calls of a streaming tool and consumes their results, while the store fails. The tool sends its name as an update and as the result. */
export class CallBook {
  refused = 0
  readonly #acknowledged = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #given: string[] = []

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** Makes a call. If the store fails, the session can reject the call or return its result directly. */
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

  /** Consumes the results of ended calls, unless the store fails. */
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

  /** Returns faults: acknowledged calls without exactly one correct result, and rejected calls with a result. */
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

import { type BoundAgent, type RunConfig, Runtime, runConfig, type ToolLayer } from '@toolgen/runtime'
import { type MemoryCassette, memoryCassette } from '@toolgen/runtime/testing'
import { isHiddenOnlyFromEvents } from './catalogue.js'
import { RequestError } from './errors.js'

const RECORD = 'Record the run in a terminal: `toolgen run AGENT "..." --record --cassette FILE`.'

/** An error while recording does not affect the run. */
export class RunCassette {
  readonly #cassette: MemoryCassette
  #refusal: { readonly message: string; readonly next: string } | undefined

  /** With `continuesHidden`, nobody can read the cassette, because the cassette would contain hidden values of an earlier run of the conversation. */
  constructor(maxBytes: number, continuesHidden: boolean) {
    this.#cassette = memoryCassette({ maxBytes })
    if (continuesHidden) this.#refuse('the run continues a conversation with such values')
  }

  get bytes(): number {
    return this.#cassette.bytes
  }

  /** Returns an invalid configuration unchanged, because the run reports the error. */
  recording(config: unknown = runConfig()): unknown {
    if (!(config instanceof Configuration)) return config
    const { modelLayer, toolLayer } = this.#cassette
    return config.layer(this.#guard).layer(toolLayer()).modelLayer(modelLayer())
  }

  get sink(): MemoryCassette['sink'] {
    return this.#cassette.sink
  }

  text(): string {
    if (this.#refusal !== undefined) throw new RequestError(409, this.#refusal.message, this.#refusal.next)
    try {
      return this.#cassette.text()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new RequestError(409, reason, RECORD)
    }
  }

  /** Detects calls whose hidden values the cassette would contain in plain text. After such a call, nobody can read the cassette. */
  readonly #guard: ToolLayer = (next) => async (request) => {
    const { id, provider } = request.tool
    if (isHiddenOnlyFromEvents(request.tool)) {
      const reason = `the tool \`${id}\` hides values from the audience \`events\`, but not from \`recording\``
      this.#refuse(reason, 'Hide them from both audiences.')
    }
    const outcome = await next(request)
    if (outcome.status !== 'suspended') return outcome
    const { adapted, elicitation, nested } = outcome.suspension
    // For a nested agent, the cassette contains the agent's calls, but not the call that started the agent.
    const state = provider === 'agent' ? [adapted] : [adapted, elicitation, nested]
    if (state.some((each) => each !== undefined))
      this.#refuse(`the tool \`${id}\` waited with state that only the server reads`)
    return outcome
  }

  #refuse(reason: string, next = RECORD): void {
    const message = `The run has no cassette, because it would contain values that the page hides: ${reason}.`
    this.#refusal ??= { message, next }
  }
}

// Detects another copy of `@toolgen/runtime`, in which layers of this copy have no effect.
const Configuration = runConfig().constructor as abstract new () => RunConfig<any>
const Registered = new Runtime().registerAgent({ name: 'any', description: 'Any agent.' }, []).constructor

/** The studio can record only runs of agents that use the same copy of `@toolgen/runtime`. */
export function canRecord(agent: BoundAgent<any>): boolean {
  return agent instanceof Registered
}

import { type BoundAgent, type RunConfig, Runtime, runConfig, type ToolLayer } from '@toolgen/runtime'
import { type MemoryCassette, memoryCassette } from '@toolgen/runtime/testing'
import { isHiddenOnlyFromEvents } from './catalogue.js'
import { RequestError } from './errors.js'

const RECORD = 'Record the run in a terminal: `toolgen run AGENT "..." --record --cassette FILE`.'

/** Cassette of a run that the studio started. The run does not depend on it. */
export class RunCassette {
  readonly #cassette: MemoryCassette
  /** Reason why people must not read the cassette. */
  #refusal: { readonly message: string; readonly next: string } | undefined

  /**
   * @param maxBytes maximum size of the exchanges
   * @param continuesHidden true if the run continues a conversation with hidden values. Only the run that received them can hide them
   */
  constructor(maxBytes: number, continuesHidden: boolean) {
    this.#cassette = memoryCassette({ maxBytes })
    if (continuesHidden) this.#refuse('the run continues a conversation with such values')
  }

  /** Size of the exchanges in bytes. */
  get bytes(): number {
    return this.#cassette.bytes
  }

  /** Returns the configuration of the run, with the layers that record it. An invalid one stays, so that the run fails with its reason. */
  recording(config: unknown = runConfig()): unknown {
    if (!(config instanceof Configuration)) return config
    const { modelLayer, toolLayer } = this.#cassette
    return config.layer(this.#guard).layer(toolLayer()).modelLayer(modelLayer())
  }

  /** Receives the events of the run. */
  get sink(): MemoryCassette['sink'] {
    return this.#cassette.sink
  }

  /**
   * Returns the content of the file.
   *
   * @throws {RequestError} if the run could not be recorded, or if the cassette contains values that the studio hides
   */
  text(): string {
    if (this.#refusal !== undefined) throw new RequestError(409, this.#refusal.message, this.#refusal.next)
    try {
      return this.#cassette.text()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new RequestError(409, reason, RECORD)
    }
  }

  /** Notices values that cassettes contain, but the events of runs do not. */
  readonly #guard: ToolLayer = (next) => async (request) => {
    const { id, provider } = request.tool
    if (isHiddenOnlyFromEvents(request.tool)) {
      const reason = `the tool \`${id}\` hides values from the audience \`events\`, but not from \`recording\``
      this.#refuse(reason, 'Hide them from both audiences.')
    }
    const outcome = await next(request)
    if (outcome.status !== 'suspended') return outcome
    const { adapted, elicitation, nested } = outcome.suspension
    // The cassette contains the calls of a nested agent, but not the call that started it.
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

// Layers of this copy of the runtime have no effect in another copy.
const Configuration = runConfig().constructor as abstract new () => RunConfig<any>
const Registered = new Runtime().registerAgent({ name: 'any', description: 'Any agent.' }, []).constructor

/** Checks whether the runs of an agent can be recorded: it must belong to the same copy of the runtime as the studio. */
export function canRecord(agent: BoundAgent<any>): boolean {
  return agent instanceof Registered
}

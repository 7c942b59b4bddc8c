import type { CallableTools, CallResponse } from '../../packages/runtime/src/adapters/framework-options.js'
import type { ToolDescriptor } from '../../packages/runtime/src/index.js'

/** A call as a model writes it. */
export interface WrittenCall {
  readonly id: string
  readonly tool: string
  /** Usually JSON. Some tests use invalid JSON. */
  readonly arguments: string
}

/** Result of one call that a model reads. */
export interface ToldCall {
  readonly id: string
  readonly text: string
}

/** Tool definition that a model receives. */
export interface OfferedTool {
  readonly name: string
  readonly description: string | undefined
  readonly schema: unknown
}

/** Result of a run of a framework. */
export interface PlayedRun {
  readonly offered: readonly OfferedTool[]
  /** Results that the model reads after each of its turns, in their order. */
  readonly told: readonly (readonly ToldCall[])[]
  /** Final text of the run. */
  readonly text: string
}

/** Options of tools and runs, the same for all frameworks. */
export interface PlayOptions {
  readonly context?: object | ((asked: any) => object) // `any`: each framework passes other data of a call
  readonly only?: readonly ToolDescriptor<never, unknown, any, any>[]
  readonly strict?: boolean
  readonly onOutcome?: (answered: CallResponse) => unknown
  readonly signal?: AbortSignal
}

/** A framework with a scripted model. */
export interface Framework {
  readonly name: string
  /** Runs a model that makes these calls in each turn, and then answers `Done.` Rejects with the errors of the framework. */
  play(tools: CallableTools, turns: readonly (readonly WrittenCall[])[], options?: PlayOptions): Promise<PlayedRun>
}

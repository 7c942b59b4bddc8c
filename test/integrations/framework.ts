import type { CallableTools, CallResponse } from '../../packages/runtime/src/adapters/framework-options.js'
import type { ToolDescriptor } from '../../packages/runtime/src/index.js'

/** A call as a model writes it. */
export interface WrittenCall {
  readonly id: string
  readonly tool: string
  /** JSON, unless the model is out of its mind. */
  readonly arguments: string
}

/** What a model reads of one call. */
export interface ToldCall {
  readonly id: string
  readonly text: string
}

/** A tool as a model is offered it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string | undefined
  readonly schema: unknown
}

/** What became of a run of a framework. */
export interface PlayedRun {
  readonly offered: readonly OfferedTool[]
  /** After each turn of the model what it was told of its calls, in the order in which it reads them. */
  readonly told: readonly (readonly ToldCall[])[]
  /** What the run came to. */
  readonly text: string
}

/** What is said of the tools and the run, in every framework. */
export interface PlayOptions {
  readonly context?: object | ((asked: any) => object) // `any`: each framework says something else of a call
  readonly only?: readonly ToolDescriptor<never, unknown, any, any>[]
  readonly strict?: boolean
  readonly onOutcome?: (answered: CallResponse) => unknown
  readonly signal?: AbortSignal
}

/** A framework with a model that writes what it is told to write. */
export interface Framework {
  readonly name: string
  /** Runs a model that writes these calls, turn by turn, and then `Done.` Rejects as the framework does. */
  play(tools: CallableTools, turns: readonly (readonly WrittenCall[])[], options?: PlayOptions): Promise<PlayedRun>
}

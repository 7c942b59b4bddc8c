import type { NoSuchTool, Offered } from './use.js'

/** How an agent serves one tool that it exports: with a run of its own, of which this says the beginning and the end. */
export type ExportedToolOptions = {
  /** What the agent's model is told in these runs in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Whether words count as the result where the run has no other; for results that may be a text. Default: false. */
  readonly prose?: boolean
} & (
  | {
      /** The first message of the run, as it stands. Default: the tool's description and the arguments as JSON. */
      readonly text?: string
      readonly template?: never
    }
  | {
      /** The first message of the run, with fields of the payload: `Find out all about {{topic}}.` */
      readonly template?: string
      readonly text?: never
    }
)

/**
 * How an agent serves a toolset that it exports. `Named` is inferred from what is written; a name that is no tool is an
 * error also beside right ones.
 */
export interface ExportOptions<Tool extends string, Named extends string> {
  /** Tool → how it is served. Default: as {@link ExportedToolOptions} says. */
  readonly tools?: {
    readonly [Name in Named]: Name extends Tool ? ExportedToolOptions : string & NoSuchTool<Name, Tool>
  } & Offered<NoInfer<Tool>>
}

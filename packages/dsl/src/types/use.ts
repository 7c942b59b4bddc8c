/** What the checker shows for a name that is none of the tools that could be meant. */
export interface NoSuchTool<Name, Selected> {
  readonly '~error': 'no such tool in this use or export of the toolset'
  readonly name: Name
  readonly tools: Selected
}

/**
 * How an agent names what it uses, whoever serves it. `Selected` and `Renamed` are inferred from what is written; a name
 * that is no tool is an error also beside right ones.
 */
export interface UseOptions<Selected extends string, Renamed extends string> {
  /** The agent's own name for this use, needed where it uses one toolset twice. Default: the toolset's name. */
  readonly as?: string
  /** The tools that the agent gets. Default: all. */
  readonly only?: readonly Selected[]
  /** Tool → the name that this agent's model sees. */
  readonly rename?: {
    readonly [Tool in Renamed]: Tool extends Selected ? string : string & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
}

/** Only offers the names to the editor. */
export type Offered<Names extends string> = { readonly [Name in Names]?: unknown }

/** What the checker shows where a toolset is given to an agent by itself. */
export interface SayWhoServesIt {
  readonly '~toolgen': 'toolset'
  readonly '~error': 'say who serves it: fromService(toolset, client), fromAgent(toolset), fromMcp(toolset) or fromOpenApi(toolset)'
}

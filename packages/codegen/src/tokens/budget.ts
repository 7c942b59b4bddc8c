import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import type { OfferSize, ToolSize } from './measure.js'

/** Maximum numbers of tokens; absent fields have no limit. */
export interface TokenBudget {
  /** For the definition of a tool. */
  readonly perTool?: number
  /** For the definitions of all tools of an agent. */
  readonly perAgent?: number
}

/** Errors for tools and agents that are larger than their budget. */
export function overBudget(
  sizes: readonly OfferSize[],
  { perTool, perAgent }: TokenBudget,
  design: DesignIr,
): readonly Diagnostic[] {
  const toolLocations = new Map(
    design.toolsets.flatMap(({ tools }) => tools.map(({ id, location }) => [id, location] as const)),
  )
  const agentLocations = new Map(design.agents.map(({ name, location }) => [name, location]))
  const tools = new Map(sizes.flatMap((size) => size.tools.map((tool) => [`${tool.tool} ${tool.toolName}`, tool])))
  return [
    ...[...tools.values()].flatMap((tool) =>
      perTool !== undefined && tool.tokens > perTool ? [largeTool(tool, perTool, toolLocations.get(tool.tool))] : [],
    ),
    ...sizes.flatMap((size) =>
      perAgent !== undefined && size.kind === 'agent' && size.tokens > perAgent
        ? [largeAgent(size, perAgent, agentLocations.get(size.name))]
        : [],
    ),
  ]
}

function largeTool({ tool, tokens, savings }: ToolSize, budget: number, location?: SourceLocation): Diagnostic {
  return {
    code: 'TG8501',
    severity: 'error',
    message: `\`${tool}\` is ${tokens} tokens for a model, ${tokens - budget} more than the budget of ${budget}.`,
    ...(location !== undefined && { location }),
    next: 'Shorten what costs most, or raise `tokens.perTool` in the configuration.',
    ...(savings.length > 0 && {
      related: savings.map(({ what, tokens: size }) => ({ message: `${size} tokens: ${what}` })),
    }),
  }
}

function largeAgent({ name, tokens, tools }: OfferSize, budget: number, location?: SourceLocation): Diagnostic {
  const dearest = tools.slice(0, 5).map((tool) => ({ message: `${tool.tokens} tokens: \`${tool.tool}\`` }))
  return {
    code: 'TG8502',
    severity: 'error',
    message: `The tools of \`${name}\` are ${tokens} tokens, ${tokens - budget} more than the budget of ${budget}.`,
    ...(location !== undefined && { location }),
    next: 'Shorten the dearest tools, leave some out with `only`, or raise `tokens.perAgent` in the configuration.',
    ...(dearest.length > 0 && { related: dearest }),
  }
}

import type { DesignIr } from '../ir/types.js'
import { type Offer, offersOf } from '../vendor-forms/offers.js'
import type { OfferedTool, WriteForm } from '../vendor-forms/vendor-form.js'
import type { CountTokens } from './load-counter.js'
import { type Saving, savingsOf } from './savings.js'

/** What the models of an agent, or of users of a toolset, are told of its tools, in tokens. */
export interface OfferSize {
  readonly name: string
  /** A toolset is listed by itself where no agent uses it. */
  readonly kind: 'agent' | 'toolset'
  /** Of the list of its tools, as it stands in a request. */
  readonly tokens: number
  /** Of the agent's instructions, which are sent besides. */
  readonly instructions?: number
  /** The dearest first. */
  readonly tools: readonly ToolSize[]
}

/** What a model is told of a tool, in tokens. */
export interface ToolSize {
  /** `toolset.tool` */
  readonly tool: string
  readonly wireName: string
  /** Of its definition, as it stands in a request. */
  readonly tokens: number
  readonly description: number
  readonly schema: number
  /** What could be left out or said shorter, the dearest first. */
  readonly savings: readonly Saving[]
}

/** Counts what the models of a design are told of its tools. */
export function measureDesign(design: DesignIr, write: WriteForm, count: CountTokens): readonly OfferSize[] {
  const measured = new Map<string, { readonly size: ToolSize; readonly text: string }>()
  const measure = (offered: OfferedTool): { readonly size: ToolSize; readonly text: string } => {
    const key = JSON.stringify([offered.tool.id, offered.wireName])
    const known = measured.get(key)
    if (known !== undefined) return known
    const made = measureTool(offered, write, count)
    measured.set(key, made)
    return made
  }
  return offersOf(design).map((offer) => {
    const tools = offer.tools.map(measure)
    const instructions = offer.kind === 'agent' ? offer.agent.instructions : undefined
    return {
      name: nameOf(offer),
      kind: offer.kind,
      tokens: tools.length === 0 ? 0 : count(`[${tools.map(({ text }) => text).join(',')}]`),
      ...(instructions !== undefined && { instructions: count(instructions) }),
      tools: tools.map(({ size }) => size).sort((a, b) => b.tokens - a.tokens),
    }
  })
}

function nameOf(offer: Offer): string {
  return offer.kind === 'agent' ? offer.agent.name : offer.toolset.name
}

function measureTool(
  offered: OfferedTool,
  write: WriteForm,
  count: CountTokens,
): { readonly size: ToolSize; readonly text: string } {
  const { tool, wireName } = offered
  const form = write(offered)
  const text = JSON.stringify(form.tool)
  const size = {
    tool: tool.id,
    wireName,
    tokens: count(text),
    description: count(tool.description),
    schema: count(JSON.stringify(form.schema)),
    savings: savingsOf(tool.description, form.schema, count),
  }
  return { size, text }
}

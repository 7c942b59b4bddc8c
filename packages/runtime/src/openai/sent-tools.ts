import type { JsonText } from '../contract/json.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { type OpenAiTool, openAiTool } from '../projection/openai/openai-tool.js'
import { argumentRestorer } from '../projection/openai/restore-arguments.js'

/** Tools as they are sent, with the way back. */
export interface SentTools {
  readonly tools: readonly OpenAiTool[]
  /** The arguments that a model wrote for a tool, as the tool takes them. Those of an unknown tool stay as they are. */
  restore(name: string, json: JsonText): JsonText
}

/** Says how tools are sent; each list of tools is projected once. */
export function toolSender(strict: boolean): (specs: readonly AgentToolSpec[]) => SentTools {
  const known = new WeakMap<readonly AgentToolSpec[], SentTools>()
  return (specs) => {
    const sent = known.get(specs) ?? sentTools(specs, strict)
    known.set(specs, sent)
    return sent
  }
}

function sentTools(specs: readonly AgentToolSpec[], strict: boolean): SentTools {
  const projections = specs.map((spec) => ({ spec, ...openAiTool(spec, { strict }) }))
  const restorers = new Map(
    projections.filter((each) => each.strict).map(({ spec }) => [spec.wireName, argumentRestorer(spec)]),
  )
  return {
    tools: projections.map(({ tool }) => tool),
    restore: (name, json) => restorers.get(name)?.(json) ?? json,
  }
}
